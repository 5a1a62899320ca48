import { ipVersions, type IpVersion, type Observer, type Unseen } from '../verdict.ts';
import { NotChecked } from './not-checked.ts';
import type { ProbeClass, Way } from './probes.ts';

/** What has its own positive control. */
export type Control = ProbeClass | 'others-routes' | 'neighbours';

/** What was tried where it is allowed, and whether it was seen there: a positive control. */
export interface Tried {
  name: string;
  ipVersion: IpVersion;
  way?: Way;
  isSeen: boolean;
}

/** For each control what was tried, or why nothing could be. */
export type Controls = ReadonlyMap<Control, readonly Tried[] | string>;

/** Of which IP versions an observer was shown to see what leaves, and of which it was not. */
export interface Sight {
  seen: readonly IpVersion[];
  unseen: readonly Unseen[];
}

/** What a check has found. */
export interface Found extends Pick<Sight, 'unseen'> {
  problems: readonly string[];
  /** Those of its observers that could see nothing of it. */
  blind: readonly Observer[];
}

/** A check's result that depends on nothing that leaves the computer. */
export const withoutSight = (problems: readonly string[]): Found => ({ problems, unseen: [], blind: [] });

const named = (name: string) => `not seen while it was allowed: ${name}`;

/** Those that are of one IP version only. */
const versionOfControl: Partial<Record<Control, IpVersion>> = { plain: 'ipv4', ipv6: 'ipv6' };

/**
 * What these controls have shown, or those of their probes that go by one of these ways. An IP version of which nothing
 * was tried is neither seen nor unseen: it has no way out.
 */
export function sightOf(
  { controls }: { controls: Controls },
  wanted: readonly Control[],
  ways?: readonly Way[],
): Sight {
  const unseenOf = new Map<IpVersion, string[]>();
  const tried = new Set<IpVersion>();
  for (const control of wanted) {
    const all = controls.get(control) ?? `${control}: not tried`;
    if (typeof all === 'string') {
      const one = versionOfControl[control];
      for (const ipVersion of one ? [one] : ipVersions) {
        tried.add(ipVersion);
        unseenOf.set(ipVersion, [...(unseenOf.get(ipVersion) ?? []), named(all)]);
      }
      continue;
    }
    for (const { name, ipVersion, way, isSeen } of all) {
      if (ways && !(way && ways.includes(way))) continue;
      tried.add(ipVersion);
      if (!isSeen) unseenOf.set(ipVersion, [...(unseenOf.get(ipVersion) ?? []), named(name)]);
    }
  }
  return {
    seen: [...tried].filter((ipVersion) => !unseenOf.has(ipVersion)),
    unseen: [...unseenOf].map(([ipVersion, details]) => ({ ipVersion, why: 'no-control', details })),
  };
}

/** The same with IP versions of which something was seen meanwhile, which is as good as a control. */
export const alsoSeen = ({ seen, unseen }: Sight, more: readonly IpVersion[]): Sight => ({
  seen: [...new Set([...seen, ...more])],
  unseen: unseen.filter(({ ipVersion }) => !more.includes(ipVersion)),
});

/** Why nothing can be said of an IP version; undefined if it can be seen. */
export function unseenIn({ seen, unseen }: Sight, ipVersion: IpVersion): Unseen | undefined {
  if (seen.includes(ipVersion)) return undefined;
  const known = unseen.find((one) => one.ipVersion === ipVersion);
  return known ?? { ipVersion, why: 'no-control', details: ['nothing of it was sent while it was allowed'] };
}

/** What a check has found that others have seen, too: of what leaves, it says no more than was seen. */
export const withSight = (problems: readonly string[], { seen, unseen }: Sight): Found => ({
  problems,
  unseen,
  blind: seen.length > 0 ? [] : ['uplink'],
});

/**
 * What a check has found that nobody else has seen: throws `NotChecked` if of no IP version anything could be. What was
 * seen is wrong in any case.
 */
export function onlyBySight(
  problems: readonly string[],
  { seen, unseen }: Sight,
  observers: readonly Observer[] = ['uplink'],
): Found {
  if (problems.length > 0 || seen.length > 0) return { problems, unseen, blind: [] };
  throw notSeen(unseen, observers);
}

export const notSeen = (unseen: readonly Unseen[], observers: readonly Observer[] = ['uplink']): NotChecked =>
  new NotChecked('no-control', [...new Set(unseen.flatMap(({ details }) => details))], observers);
