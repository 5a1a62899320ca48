import { openFirst } from '#node/anyconnect/address-race.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { HoldParams } from './messages.ts';
import { openSecureConnection, type ConnectionTrust, type SecureResult } from './secure-connection.ts';

/** The TLS connections of one session, one after the other. */
export interface GatewayConnections {
  /** Opens one, by the TLS session of the last one, if there is one. */
  open(): Promise<SecureResult>;
  /** This one, which was opened elsewhere, is the last one now. */
  took(result: Extract<SecureResult, { ok: true }>): void;
}

export function createGatewayConnections(
  place: Pick<HoldParams, 'host' | 'addresses' | 'port' | 'proxy'>,
  trust: ConnectionTrust & Pick<GatewaySession, 'tlsSession'>,
): GatewayConnections {
  const { host, port, proxy } = place;
  /** The one that has won last is tried first. */
  let { addresses } = place;
  /** Of the sign-in, then of the last connection. */
  let tlsSession = (): Buffer | undefined =>
    trust.tlsSession === undefined ? undefined : Buffer.from(trust.tlsSession, 'base64');

  const openWith = (resume: Buffer | undefined) =>
    openFirst(
      addresses,
      (address, one) => openSecureConnection({ host, address, port, proxy, trust, resume }, one),
      ({ connection }) => void connection.socket.destroy(),
    );

  function took(result: Extract<SecureResult, { ok: true }>): void {
    const before = tlsSession();
    tlsSession = () => result.session() ?? before;
    const { address } = result.connection;
    addresses = [address, ...addresses.filter((other) => other !== address)];
  }

  return {
    async open() {
      const resume = tlsSession();
      let result = await openWith(resume);
      // A gateway, or something on the way, may not cope with a resumed session; if nothing answers, that is not the
      // cause.
      const isForSession =
        !result.ok &&
        (result.failure !== 'gateway-unreachable' || result.cause?.startsWith('gateway-tls') === true);
      if (isForSession && resume !== undefined) {
        tlsSession = () => undefined;
        result = await openWith(undefined);
      }
      if (result.ok) took(result);
      return result;
    },
    took,
  };
}
