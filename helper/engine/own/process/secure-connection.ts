import type { TLSSocket } from 'node:tls';
import type { ProxyAtAddress } from '#shared/helper/protocol.ts';
import type { ClientCertificate, GatewaySession } from '#shared/helper/gateway-session.ts';
import type { Encryption } from '#shared/tunnel/state.ts';
import type { AddressTry } from '#node/anyconnect/address-race.ts';
import { gatewayThroughProxy } from '#node/anyconnect/gateway-through-proxy.ts';
import { openGatewayTls, type GatewayTlsResult } from '#node/anyconnect/gateway-tls.ts';
import type { SecureConnection } from '../tunnel/tunnel-port.ts';

/** The keying material that both ends of PSK-NEGOTIATE make of their TLS connection. */
const exporterLabel = 'EXPORTER-openconnect-psk';
const keyBytes = 32;

/** What the connection needs of a session: who the gateway is, and who asks. */
export type ConnectionTrust = Pick<
  GatewaySession,
  'certificatePin' | 'proxyCredentials' | 'proxyIdentity'
> & {
  clientCertificate?: ClientCertificate | undefined;
};

export interface GatewayPlace {
  host: string;
  address: string;
  port: number;
  /** What is at that address instead of the gateway. */
  proxy: ProxyAtAddress | undefined;
  trust: ConnectionTrust;
  /** A TLS session to resume (`GatewayTrust`). */
  resume: Buffer | undefined;
}

export type SecureResult =
  | {
      ok: true;
      connection: SecureConnection;
      encryption: Encryption | undefined;
      isResumed: boolean;
      /** For `resume`. */
      session: () => Buffer | undefined;
      /** How often TCP asks the other end whether it is there; undefined: never. */
      setKeepAlive(everyMs: number | undefined): void;
    }
  | Extract<GatewayTlsResult, { ok: false }>;

/** Opens TLS to the gateway that the sign-in has verified: its key has to be the same. */
export async function openSecureConnection(
  { host, address, port, proxy, trust: given, resume }: GatewayPlace,
  { signal, onConnected }: AddressTry,
): Promise<SecureResult> {
  const trust = { pins: [given.certificatePin], session: resume };
  const { proxyCredentials: credentials, proxyIdentity: identity } = given;
  const connect = proxy && gatewayThroughProxy(proxy, { credentials, identity });
  const result = await openGatewayTls(
    { host, port },
    address,
    trust,
    signal,
    given.clientCertificate,
    connect,
    onConnected,
  );
  if (!result.ok) return result;
  const { socket } = result;
  return {
    ok: true,
    connection: {
      socket,
      address,
      exportKey: () => exportWithoutContext(socket as unknown as Parameters<typeof exportWithoutContext>[0]),
    },
    encryption: encryptionOf(socket),
    isResumed: socket.isSessionReused(),
    session: result.session,
    setKeepAlive: (everyMs) => void socket.setKeepAlive(everyMs !== undefined, everyMs),
  };
}

/** With TLS 1.2, no context is another one than one that is empty (RFC 5705 §4); Node's types know only the latter. */
const exportWithoutContext = (socket: { exportKeyingMaterial(length: number, label: string): Buffer }) =>
  socket.exportKeyingMaterial(keyBytes, exporterLabel);

function encryptionOf(socket: TLSSocket): Encryption | undefined {
  const { standardName, version } = socket.getCipher();
  const cipher = cipherName(standardName);
  const [, number] = /^TLSv(1\.[0-3])$/.exec(version) ?? [];
  return cipher === undefined || number === undefined ? undefined : { protocol: `TLS ${number}`, cipher };
}

/** The cipher in IANA's name of a suite, in the notation of the state. */
function cipherName(suite: string): string | undefined {
  const [, bits, mode] = /_AES_(128|192|256)_(GCM|CCM|CBC)(?:_|$)/.exec(suite) ?? [];
  if (bits !== undefined && mode !== undefined) return `AES-${bits}-${mode}`;
  return suite.includes('_CHACHA20_POLY1305') ? 'CHACHA20-POLY1305' : undefined;
}
