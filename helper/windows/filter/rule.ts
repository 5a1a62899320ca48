import type { Filter, FilterCondition } from '../calls/filtering.ts';
import type { Luid } from '../calls/ip-helper.ts';
import { type Family, inTunnel, localAddress, type ProgramIdentity } from './conditions.ts';
import { weights } from './weights.ts';

/** What the filter depends on in the machine. */
export interface FilterSurroundings {
  engine: ProgramIdentity;
  proxy: ProgramIdentity;
  /** The tunnel's interface, if there is one. */
  tunnel: Luid | undefined;
}

export const families = [4, 6] as const;
export type Way = 'connect' | 'accept';
export const bothWays = ['connect', 'accept'] as const;

export type Lifetime = 'now' | 'from-start-on';

/** A rule before it is put into a sublayer. */
export interface Rule {
  name: string;
  family: Family;
  ways: readonly Way[];
  action: Filter['action'];
  weight: number;
  conditions: readonly FilterCondition[];
  /** `now`: it means something of this run, such as an interface, that could be something else after a reboot. */
  lifetime: Lifetime;
}

export const withinMachine = (family: Family, lifetime: Lifetime): Rule => ({
  name: 'within this machine',
  family,
  ways: bothWays,
  action: 'permit',
  weight: weights.withinMachine,
  conditions: [{ field: 'loopback' }],
  lifetime,
});

/** A connection that is older than the tunnel keeps its old source address, and is refused. */
export const tunnelPermit = (family: Family, tunnel: Luid, address: string): Rule => ({
  name: 'through the tunnel',
  family,
  ways: bothWays,
  action: 'permit',
  weight: weights.throughTunnel,
  conditions: [inTunnel(tunnel), localAddress(address)],
  lifetime: 'now',
});

export const blocked = (
  name: string,
  family: Family,
  weight: number,
  conditions: readonly FilterCondition[],
): Rule => ({
  name,
  family,
  ways: bothWays,
  action: 'block',
  weight,
  conditions,
  lifetime: 'from-start-on',
});
