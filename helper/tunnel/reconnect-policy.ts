import type { DisconnectReason } from '#shared/tunnel/state.ts';
import type { AttemptEnd } from './connection-attempt.ts';

/** How often certificates were refused since the tunnel was last up: the gateway's, and the client's by the gateway. */
export interface RefusedAttempts {
  gatewayCertificates: number;
  clientCertificates: number;
}

/**
 * What happens to a connection after an attempt. `hasOther`: another engine can be tried. `persist`: the connection was
 * up before and can come back, or may only end by an explicit disconnect.
 */
export function decide(
  end: AttemptEnd,
  hasOther: boolean,
  persist: boolean,
  refused: RefusedAttempts,
): { giveUp: DisconnectReason } | { session: 'kept' | 'refused' } {
  switch (end) {
    case 'absent':
      return hasOther ? { session: 'kept' } : { giveUp: 'engine-failed' };
    case 'not-started':
      return hasOther || persist ? { session: 'kept' } : { giveUp: 'engine-failed' };
    case 'unsuited':
      return hasOther ? { session: 'kept' } : { giveUp: 'engine-unsuited' };
    case 'session-refused':
      return { session: 'refused' };
    case 'session-doubted':
      // A new session that gets no tunnel either is not made better by signing in again.
      return persist ? { session: 'refused' } : { giveUp: 'engine-failed' };
    case 'silent':
    case 'outpaced':
      return { session: 'kept' };
    case 'certificate-refused':
      // Gateways get new keys: a client has to verify this one before anything is sent to it. If this happens again, it
      // has.
      return refused.gatewayCertificates > 1
        ? { giveUp: 'gateway-certificate-refused' }
        : { session: 'refused' };
    case 'client-certificate-refused':
      // A client that signs in again presents the one that the user has chosen by now, or learns that there is none.
      return refused.clientCertificates > 1 ? { giveUp: 'certificate-required' } : { session: 'refused' };
    case 'gateway-unreachable':
    case 'configuration-failed':
      return persist ? { session: 'kept' } : { giveUp: end };
    case 'connection-lost':
    case 'failed':
      return persist ? { session: 'kept' } : { giveUp: 'engine-failed' };
    default:
      return end satisfies never;
  }
}
