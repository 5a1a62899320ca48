import type { ConnectionProblem, DisconnectReason, Encryption, InvalidCause, TunnelState } from './state.ts';

/** Why connecting did not start at all. */
export type ConnectRefusal =
  | 'no-server-selected'
  | 'bad-address'
  | 'not-listed'
  | 'not-owner'
  | 'not-signed-in'
  | 'unavailable';

/** Whether traffic is blocked although there is no tunnel and none in progress. */
export const isBlocked = (state: TunnelState | undefined): boolean =>
  (state?.state === 'disconnected' || state?.state === 'invalid') && state.blocked === true;

/** Whether no helper runs, so that nothing can be asked of it until one does. */
export const isWithoutHelper = (state: TunnelState): boolean =>
  state.state === 'invalid' && (state.cause === 'helper-absent' || state.cause === 'helper-unapproved');

/**
 * Whether the user can have removed the cause without anybody noticing: the helper looks for its programs whenever it
 * is asked to connect, and not before.
 */
export const mayBeGone = (cause: InvalidCause): boolean => cause === 'engine-absent';

/** What users notice most comes first. */
const problemOrder = [
  'routes-overruled',
  'nothing-passes',
  'ipv4-silent',
  'no-internet',
  'dns-silent',
  'names-fail',
  'no-dns',
  'dns-contested',
  'ipv6-silent',
] as const satisfies readonly ConnectionProblem[];

/** What is wrong with a tunnel that is up or being made, worst first. */
export function problemsByWeight(state: TunnelState | undefined): ConnectionProblem[] {
  const problems = (state && 'problems' in state && state.problems) || [];
  return problemOrder.filter((problem) => problems.includes(problem));
}

/**
 * How the tunnel is drawn: blocked by the kill switch is distinguished from not connected, and a connection with a
 * problem from a good one.
 */
export type TunnelLook = TunnelState['state'] | 'impaired' | 'blocked' | 'loading';

export function lookOf(state: TunnelState | undefined): TunnelLook {
  if (isBlocked(state)) return 'blocked';
  const isImpaired = state?.state === 'connected' && problemsByWeight(state).length > 0;
  return isImpaired ? 'impaired' : (state?.state ?? 'loading');
}

/** The protocol of every tunnel of this product. */
export const protocolName = 'AnyConnect';

/** How data travels to the gateway; the same in all languages. */
export const transportNames = { dtls: 'DTLS (UDP)', tls: 'TLS (TCP)' } as const;

/** How the tunnel is encrypted, e.g. `DTLS 1.2, AES-256-GCM`; the same in all languages. */
export const encryptionText = ({ protocol, cipher }: Encryption): string => `${protocol}, ${cipher}`;

/** How a gateway appears from behind a captive portal that drops everything, or answers for everybody. */
const suspicious: ReadonlySet<DisconnectReason | undefined> = new Set<DisconnectReason>([
  'gateway-name-unknown',
  'gateway-unreachable',
  'gateway-refuses-connections',
  'gateway-without-route',
  'gateway-tls-failed',
  'gateway-certificate-refused',
  'gateway-certificate-dates',
]);

/** A captive portal may be why there is no tunnel. */
export const mayBePortal = (state: TunnelState | undefined): boolean =>
  state?.state === 'disconnected' && suspicious.has(state.reason);
