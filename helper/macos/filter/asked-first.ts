import { anchorsAround, askingRule, filterAnchor } from '../identifiers.ts';

/** What of pfctl(8) is asked. */
interface Listed {
  anchors(): Promise<string[]>;
  rules(anchor: string): Promise<string[]>;
}

/** A rule that lets packets through for good: no later one is asked about them. */
const letsThrough = (rule: string) => /^pass\b.*\bquick\b/.test(rule);

/** Devices by which nobody gets further than to a neighbour (AirDrop, Handoff), and the machine's own. */
const isOfNeighbours = (rule: string) => /^[^!]*\bon (?:lo|p2p|awdl|llw)\d+\b/.test(rule);

/** Whether the main rule set asks the anchor, before a rule of somebody else's lets a packet through for good. */
export function isAskedByMain(main: readonly string[]): boolean {
  const asked = main.findIndex((rule) => rule.startsWith(askingRule));
  return asked >= 0 && !main.slice(0, asked).some(letsThrough);
}

/**
 * The same of the anchors that are asked by the same rule before ours, which the kernel does by their names: other
 * programs have theirs there, too (corectl 105).
 */
export async function isAskedBeforeOthers(filter: Listed): Promise<boolean> {
  const earlier = (await filter.anchors()).filter(
    (anchor) => anchor.startsWith(`${anchorsAround}/`) && anchor < filterAnchor,
  );
  const rules = await Promise.all(earlier.map((anchor) => rulesOf(anchor, filter)));
  return !rules.flat().some((rule) => letsThrough(rule) && !isOfNeighbours(rule));
}

/** None of one that has gone in between. */
async function rulesOf(anchor: string, filter: Listed): Promise<string[]> {
  try {
    return await filter.rules(anchor);
  } catch (error) {
    if ((await filter.anchors()).includes(anchor)) throw error;
    return [];
  }
}
