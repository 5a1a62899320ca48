import type { Routing } from '#shared/tunnel/state.ts';
import { planApp } from './app.ts';
import { planGlobal } from './global.ts';
import { planIp } from './ip.ts';
import type { LocalExceptions } from './local-networks.ts';
import { planPac } from './pac.ts';
import { planSplit, type CapturedPrefixes } from './split.ts';

/**
 * What a routing mode asks of the system, as data that every system's ports understand. A mode is one file in this
 * folder; nothing else of the helper asks which mode it is.
 */
export interface RoutingPlan {
  capture: Capture;
  /**
   * Who answers the names that the machine looks up: the tunnel's resolvers, or whoever did before. `captured`: those of
   * the tunnel's that are captured themselves, and without any whoever did before.
   */
  resolvers: 'tunnel' | 'captured' | 'unchanged';
  /** What the proxy on this machine does; absent in modes that have none. */
  proxy: { routeDomains: string[]; blockedDomains: string[]; directDomains: string[] } | undefined;
}

/** Whose packets belong in the tunnel: they are routed into it, and refused everywhere else. */
export type Capture =
  /** Everybody's; `exceptGroup`: those of the owner's group of programs go as ever. */
  | ({ kind: 'everything'; exceptGroup?: true } & LocalExceptions)
  /** Only those of the owner's group of programs. */
  | ({ kind: 'group' } & LocalExceptions)
  /** Only those of the proxy on this machine. */
  | { kind: 'proxy' }
  /** Those to these prefixes; to what of them is in `exclude` they go as ever. Both without bits behind the prefix. */
  | ({ kind: 'prefixes' } & LocalExceptions & CapturedPrefixes);

/** Whether the owner's group of programs goes past the tunnel by all of these promises that are about everybody. */
export function isGroupExcepted(captures: readonly Capture[]): boolean {
  const everybodys = captures.filter((capture) => capture.kind === 'everything');
  return everybodys.length > 0 && everybodys.every(({ exceptGroup }) => exceptGroup);
}

/** The modes that every system of ours has, as the helper announces them to its clients. */
export const routingModes = ['global', 'pac', 'ip'] as const satisfies readonly Routing['mode'][];

/** `split`: the only networks that a server wants in a tunnel of mode global. */
export function planOf(routing: Routing, split?: CapturedPrefixes): RoutingPlan {
  switch (routing.mode) {
    case 'global':
      return split ? planSplit(split) : planGlobal(routing);
    case 'pac':
      return planPac(routing);
    case 'ip':
      return planIp(routing);
    case 'app':
      return planApp(routing);
    default:
      return routing satisfies never;
  }
}
