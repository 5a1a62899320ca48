import type { Filter, FilterCondition } from '../calls/filtering.ts';
import type { Luid } from '../calls/ip-helper.ts';

/** How one of our unprivileged programs is told from all others: by its file and its user. */
export interface ProgramIdentity {
  file: string;
  /** A security identifier, S-1-… */
  sid: string;
}

/** What the filter depends on in the machine. */
export interface FilterSurroundings {
  engine: ProgramIdentity;
  proxy: ProgramIdentity;
  /** The tunnel's interface, if there is one. */
  tunnel: Luid | undefined;
}

export type Family = 4 | 6;
export const families = [4, 6] as const;
export type Way = 'connect' | 'accept';
export const bothWays = ['connect', 'accept'] as const;

/**
 * Of a sublayer's filters that match, the one with the highest weight decides; those of the same weight never
 * contradict each other.
 */
export const weights = {
  throughTunnel: 15,
  elsewhereInTunnel: 14,
  resolvers: 13,
  withinMachine: 12,
  ownPrograms: 11,
  nameServices: 10,
  link: 9,
  localNetworks: 8,
  captured: 4,
  rest: 0,
} as const;

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

export const [tcp, udp, icmp6] = [6, 17, 58] as const;

/** DNS, NetBIOS, DNS over TLS and QUIC, LLMNR: look-ups never go to a local network. */
const nameServicePorts = [53, 137, 853, 5355] as const;

export const protocol = (number: number): FilterCondition => ({ field: 'protocol', protocol: number });
export const inTunnel = (luid: Luid): FilterCondition => ({ field: 'interface', luid });
export const localAddress = (address: string): FilterCondition => ({ field: 'local-address', address });
export const remotePorts = (ports: readonly number[]) =>
  ports.map((port): FilterCondition => ({ field: 'remote-port', port }));
export const lookUps = () => [protocol(tcp), protocol(udp), ...remotePorts(nameServicePorts)];
export const identified = ({ file, sid }: ProgramIdentity): FilterCondition[] => [
  { field: 'program', file },
  { field: 'user', sid },
];
/** Prefixes or single addresses. */
export const remotes = (prefixes: readonly string[]) =>
  prefixes.map((prefix): FilterCondition => {
    const whole = prefix.includes('/') ? prefix : `${prefix}/${familyOf(prefix) === 4 ? 32 : 128}`;
    return { field: 'remote-prefix', prefix: whole };
  });

export const familyOf = (text: string): Family => (text.includes(':') ? 6 : 4);
export const ofFamily = (texts: readonly string[], family: Family) =>
  texts.filter((text) => familyOf(text) === family);
