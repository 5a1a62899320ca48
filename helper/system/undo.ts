import type { Log } from '../log.ts';
import type { UndoStep } from './journal-entry.ts';
import type { Ports } from './ports.ts';

/**
 * Undoes steps; what they undo may be there in whole, in part or not at all. Every step is tried. Resolves to
 * those that failed.
 *
 * The filter goes last: without it, nobody may still be asking the tunnel's resolvers, or go on with a connection that
 * was made through the tunnel (`connectionsEnded`). The device, which takes the kernel longest, and the rules can go at
 * once, because the filter blocks traffic by itself.
 */
export async function undoSteps(
  ports: Ports,
  log: Log,
  steps: readonly UndoStep[],
  connectionsEnded?: Promise<void>,
): Promise<UndoStep[]> {
  const attempt = async (step: UndoStep): Promise<UndoStep[]> => {
    try {
      await undo(ports, step);
      return [];
    } catch (error) {
      log.error('a change could not be undone', error, { kind: step.kind });
      return [step];
    }
  };
  const ofKind = (...kinds: UndoStep['kind'][]) => steps.filter(({ kind }) => kinds.includes(kind));
  const routes = Promise.all(ofKind('device', 'routing').map(attempt));
  const dns: UndoStep[][] = [];
  // Last first: a later step may have remembered what an earlier one has to take back.
  for (const step of ofKind('resolv-conf', 'resolvconf-record').toReversed())
    dns.unshift(await attempt(step));
  await connectionsEnded;
  const filters = await Promise.all(ofKind('packet-filter').map(attempt));
  return [...dns, ...filters, ...(await routes)].flat();
}

async function undo({ filter, router, device, dns }: Ports, step: UndoStep): Promise<void> {
  switch (step.kind) {
    case 'packet-filter':
      return await filter.clear();
    case 'routing':
      return await router.clear();
    case 'device':
      return await device.remove();
    case 'resolv-conf':
    case 'resolvconf-record':
      return await dns.undo(step);
    default:
      return step satisfies never;
  }
}
