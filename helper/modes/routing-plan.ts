import type { PrefixList } from '../network/prefix-list.ts';
import type { LocalExceptions } from './local-exceptions.ts';

/**
 * What a routing mode requires of the system, as data for every system's ports. Each mode is one file in this folder;
 * nothing else in the helper checks which mode it is.
 */
export interface RoutingPlan {
  capture: Capture;
  /**
   * Who answers the machine's look-ups: the tunnel's resolvers, or the same resolvers as before. `captured`: those of
   * the tunnel's resolvers that are captured themselves or, without any, the same resolvers as before.
   */
  resolvers: 'tunnel' | 'captured' | 'unchanged';
  /** What the proxy on this machine does; absent in modes without one. */
  proxy: { routeDomains: string[]; blockedDomains: string[]; directDomains: string[] } | undefined;
}

/** Whose packets belong in the tunnel: they are routed into it, and refused everywhere else. */
export type Capture =
  /** Everybody's; `exceptGroup`: except those of the owner's group of programs. */
  | ({ kind: 'everything'; exceptGroup?: true } & LocalExceptions)
  /** Only those of the owner's group of programs. */
  | ({ kind: 'group' } & LocalExceptions)
  /** Only those of the proxy on this machine. */
  | { kind: 'proxy' }
  /** Those to these prefixes, except for what is in `exclude`. No bits are set after the prefixes. */
  | ({ kind: 'prefixes' } & LocalExceptions & CapturedPrefixes);

/** Prefixes that belong in the tunnel, and exceptions inside them. */
export interface CapturedPrefixes {
  include: PrefixList;
  exclude: PrefixList;
}

/**
 * Whether the owner's group of programs goes past the tunnel according to all of these captures that concern everybody.
 */
export function isGroupExcepted(captures: readonly Capture[]): boolean {
  const everybodys = captures.filter((capture) => capture.kind === 'everything');
  return everybodys.length > 0 && everybodys.every(({ exceptGroup }) => exceptGroup);
}
