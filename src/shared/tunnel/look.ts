import type { ConnectionProblem, Encryption, TunnelState } from './state.ts';

/** Why connecting did not even begin. */
export type ConnectRefusal =
  | 'no-server-selected'
  | 'bad-address'
  | 'not-listed'
  | 'not-owner'
  | 'not-signed-in'
  | 'unavailable';

/** Whether traffic is blocked although there is no tunnel, nor one being made. */
export const isBlocked = (state: TunnelState | undefined): boolean =>
  (state?.state === 'disconnected' || state?.state === 'invalid') && state.blocked === true;

/** What the user feels most comes first. */
const problemOrder = [
  'nothing-passes',
  'ipv4-silent',
  'no-internet',
  'dns-silent',
  'no-dns',
  'ipv6-silent',
] as const satisfies readonly ConnectionProblem[];

/** What is wrong with a tunnel that is up, the worst first. */
export function problemsByWeight(state: TunnelState | undefined): ConnectionProblem[] {
  const problems = state?.state === 'connected' ? (state.problems ?? []) : [];
  return problemOrder.filter((problem) => problems.includes(problem));
}

/**
 * What the tunnel is drawn as: one that is shut by the kill switch is not one that is simply not there, and one that
 * does not do all that it should is not simply connected.
 */
export type TunnelLook = TunnelState['state'] | 'impaired' | 'blocked' | 'loading';

export function lookOf(state: TunnelState | undefined): TunnelLook {
  if (isBlocked(state)) return 'blocked';
  return problemsByWeight(state).length > 0 ? 'impaired' : (state?.state ?? 'loading');
}

/** Of every tunnel that this product makes; what it speaks at the gateway. */
export const protocolName = 'AnyConnect';

/** How data travels to the gateway, as every language calls it. */
export const transportNames = { dtls: 'DTLS (UDP)', tls: 'TLS (TCP)' } as const;

/** By what the tunnel is encrypted, e.g. `DTLS 1.2, AES-256-GCM`, as every language writes it. */
export const encryptionText = ({ protocol, cipher }: Encryption): string => `${protocol}, ${cipher}`;
