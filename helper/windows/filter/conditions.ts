import { lookUpPorts } from '../../network/local-traffic.ts';
import type { FilterCondition } from '../calls/filtering.ts';
import type { Luid } from '../calls/ip-helper.ts';

/**
 * What a rule asks of a packet, in short. Conditions of one field are alternatives; those of different ones must all
 * hold.
 */

export type Family = 4 | 6;

/** How one of our unprivileged programs is told from all others: by its file and its user, which is one of these. */
export interface ProgramIdentity {
  file: string;
  /** Security identifiers, S-1-… */
  sids: readonly string[];
}

export const [tcp, udp, icmp6] = [6, 17, 58] as const;

export const protocol = (number: number): FilterCondition => ({ field: 'protocol', protocol: number });
export const inTunnel = (luid: Luid): FilterCondition => ({ field: 'interface', luid });
export const localAddress = (address: string): FilterCondition => ({ field: 'local-address', address });
export const remotePorts = (ports: readonly number[]) =>
  ports.map((port): FilterCondition => ({ field: 'remote-port', port }));
export const lookUps = () => [protocol(tcp), protocol(udp), ...remotePorts(lookUpPorts)];
export const identified = ({ file, sids }: ProgramIdentity): FilterCondition[] => [
  { field: 'program', file },
  ...sids.map((sid): FilterCondition => ({ field: 'user', sid })),
];
/** Prefixes or single addresses. */
export const remotes = (prefixes: readonly string[]) =>
  prefixes.map((prefix): FilterCondition => {
    const whole = prefix.includes('/') ? prefix : `${prefix}/${familyOf(prefix) === 4 ? 32 : 128}`;
    return { field: 'remote-prefix', prefix: whole };
  });

const familyOf = (text: string): Family => (text.includes(':') ? 6 : 4);
export const ofFamily = (texts: readonly string[], family: Family) =>
  texts.filter((text) => familyOf(text) === family);
