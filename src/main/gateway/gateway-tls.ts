import { connect as connectTcp, isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import type { Gateway } from '#shared/tunnel/state.ts';
import { trustSystemRoots } from './system-roots.ts';
import { certificatePin } from './certificate-pin.ts';
import type { ClientIdentity } from './client-certificate.ts';

/** How a gateway's certificate may be trusted. */
export interface GatewayTrust {
  /** Any of these keys is enough; then neither name, issuer nor dates count. None: the system's roots decide. */
  pins: readonly string[];
}

export type GatewayTlsResult =
  | { ok: true; socket: tls.TLSSocket; pin: string }
  | {
      ok: false;
      failure: 'gateway-unreachable' | 'gateway-certificate-refused' | 'certificate-required';
      detail: string;
    };

/** Opens the connection that TLS goes over, to a gateway at an address; it need not be there yet. Rejects if it cannot be. */
export type ConnectToGateway = (gateway: Gateway, address: string) => Promise<Socket>;

export const connectDirectly: ConnectToGateway = ({ port }, address) =>
  Promise.resolve(connectTcp({ host: address, port }));

const handshakeTimeoutMs = 10_000;

/**
 * Opens TLS to `gateway` at `address` and verifies whom it reached, before a byte of the protocol is sent.
 */
export async function openGatewayTls(
  gateway: Gateway,
  address: string,
  trust: GatewayTrust,
  signal: AbortSignal,
  /** Who the gateway's client is, where that is asked. */
  identity?: ClientIdentity,
  connect: ConnectToGateway = connectDirectly,
): Promise<GatewayTlsResult> {
  if (trust.pins.length === 0) trustSystemRoots();
  let transport: Socket;
  try {
    transport = await connect(gateway, address);
  } catch (error) {
    return {
      ok: false,
      failure: 'gateway-unreachable',
      detail: error instanceof Error ? error.message : 'no connection',
    };
  }
  return new Promise((resolve) => {
    const socket = tls.connect({
      socket: transport,
      // RFC 6066 §3: addresses are not sent as a server name.
      servername: isIP(gateway.host) === 0 ? gateway.host : '',
      checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(gateway.host, certificate),
      // Decided below, so that a pinned key and the roots go the same way.
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...(identity && { cert: identity.certificate, key: identity.key }),
    });
    const finish = (result: GatewayTlsResult) => {
      signal.removeEventListener('abort', abort);
      clearTimeout(timer);
      if (!result.ok) {
        socket.destroy();
        transport.destroy();
      }
      resolve(result);
    };
    const unreachable = (detail: string) => finish({ ok: false, failure: 'gateway-unreachable', detail });
    const abort = () => unreachable('aborted');
    const timer = setTimeout(() => unreachable('no answer'), handshakeTimeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    transport.setNoDelay(true);
    transport.on('error', (error) => unreachable(error.message));
    transport.once('close', () => unreachable('closed'));
    // Stays for good: a connection that fails later must not be an unhandled error.
    socket.on('error', (error) =>
      wantsCertificate(error) ? finish(certificateRequired(error.message)) : unreachable(error.message),
    );
    socket.once('close', () => unreachable('closed'));
    socket.once('secureConnect', () => finish(verify(socket, trust)));
  });
}

/**
 * Whether a gateway has ended TLS for want of a client certificate, or of another one (RFC 8446 §6.2). With TLS 1.3 that
 * comes after the handshake.
 */
export function wantsCertificate(error: unknown): boolean {
  return (
    error instanceof Error &&
    /alert (?:bad certificate|unsupported certificate|certificate (?:required|unknown|revoked|expired)|unknown ca)/i.test(
      // BoringSSL, which Electron has, writes them with underscores.
      error.message.replaceAll('_', ' '),
    )
  );
}

const certificateRequired = (detail: string) =>
  ({ ok: false, failure: 'certificate-required', detail }) as const;

function verify(socket: tls.TLSSocket, trust: GatewayTrust): GatewayTlsResult {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return refused('no certificate');
  const pin = certificatePin(certificate);
  if (trust.pins.length > 0) {
    return trust.pins.includes(pin)
      ? { ok: true, socket, pin }
      : refused(`the key is none of the pinned ones: ${pin}`);
  }
  // Typed as Error, but a string such as ERR_TLS_CERT_ALTNAME_INVALID at run time.
  return socket.authorized ? { ok: true, socket, pin } : refused(String(socket.authorizationError));
}

function refused(detail: string): GatewayTlsResult {
  return { ok: false, failure: 'gateway-certificate-refused', detail };
}
