import { wantsCertificate, type UnreachableCause } from '#node/anyconnect/gateway-tls.ts';
import type { TunnelEnd } from '../tunnel/tunnel-port.ts';
import type { EngineMessage } from './messages.ts';
import type { SecureResult } from './secure-connection.ts';

type End = EngineMessage<'ended'>['end'];
type Refused = Extract<SecureResult, { ok: false }>;

/**
 * The gateway's status for a session that is over, or not known: 401 with ocserv (worker-vpn.c) and Cisco's gateways.
 * It is 400 with anylink (server/handler/link_tunnel.go), which knows none any more once it has been started anew, and
 * 403 with others before them, which answer so to much else, too.
 */
const sessionEnds: ReadonlyMap<number, End> = new Map([
  [401, 'session-refused'],
  [400, 'session-doubted'],
  [403, 'session-doubted'],
]);

/** Why the engine ends, as the helper is told; `refused`: why the last connection was not made. */
export function endOf(why: TunnelEnd, refused: Refused | undefined): End {
  switch (why.kind) {
    case 'not-opened':
      if (refused?.failure === 'gateway-certificate-refused') return 'certificate-refused';
      return refused?.failure === 'certificate-required'
        ? 'client-certificate-refused'
        : 'gateway-unreachable';
    case 'not-granted': {
      const { outcome } = why;
      if (outcome.kind === 'unusable') return 'unsuited';
      if (isOutOfOrder(why)) return 'gateway-unreachable';
      if (outcome.kind === 'refused') return sessionEnds.get(outcome.status) ?? 'failed';
      // With TLS 1.3, a client without the right certificate is told so after the handshake.
      const isCertificate = outcome.kind === 'closed' && wantsCertificate(outcome.error);
      return isCertificate ? 'client-certificate-refused' : 'failed';
    }
    case 'not-configured':
      return 'configuration-failed';
    case 'ended':
      if (why.by.kind === 'goodbye') return why.by.final ? 'session-refused' : 'failed';
      return why.by.kind === 'closed' ? 'connection-lost' : 'failed';
    case 'dead':
      return 'connection-lost';
    default:
      return why satisfies never;
  }
}

/** Whether the gateway takes nobody at the moment, whatever session they have (RFC 9110 §15.6). */
const isOutOfOrder = (why: TunnelEnd) =>
  why.kind === 'not-granted' && why.outcome.kind === 'refused' && why.outcome.status >= 500;

/** Why the gateway is unreachable, as far as that is known; undefined also if it is not. */
export function causeOf(why: TunnelEnd, refused: Refused | undefined): UnreachableCause | undefined {
  if (isOutOfOrder(why)) return 'gateway-refuses-connections';
  const isUnreachable = why.kind === 'not-opened' && refused?.failure === 'gateway-unreachable';
  return isUnreachable ? refused.cause : undefined;
}

/** What the gateway said when it ended the tunnel, or refused one; undefined if that was nothing. */
export function goodbyeOf(why: TunnelEnd): string | undefined {
  const said = why.kind === 'ended' ? why.by : why.kind === 'not-granted' ? why.outcome : undefined;
  return (said?.kind === 'goodbye' || said?.kind === 'refused') && said.text !== '' ? said.text : undefined;
}

/** The same for the log, where there is more to say. */
export function noteOn(why: TunnelEnd): string | undefined {
  if (why.kind === 'dead') return 'the gateway is silent';
  if (why.kind === 'ended') {
    const { by } = why;
    return by.kind === 'goodbye' ? `the gateway says goodbye: ${by.text}` : `the tunnel has ended: ${by.why}`;
  }
  if (why.kind !== 'not-granted') return undefined;
  const { outcome } = why;
  return outcome.kind === 'refused'
    ? `the gateway refuses: ${outcome.status} ${outcome.reason}`
    : `no tunnel: ${outcome.why}`.slice(0, 300);
}
