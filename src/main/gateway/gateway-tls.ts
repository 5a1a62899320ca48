import { isIP } from 'node:net';
import tls from 'node:tls';
import type { Gateway } from '#shared/tunnel/state.ts';
import { trustSystemRoots } from '../system-roots.ts';
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

const handshakeTimeoutMs = 10_000;

/**
 * Opens TLS to `gateway` at `address` and verifies whom it reached, before a byte of the protocol is sent.
 */
export function openGatewayTls(
  gateway: Gateway,
  address: string,
  trust: GatewayTrust,
  signal: AbortSignal,
  /** Who the gateway's client is, where that is asked. */
  identity?: ClientIdentity,
): Promise<GatewayTlsResult> {
  if (trust.pins.length === 0) trustSystemRoots();
  return new Promise((resolve) => {
    const socket = tls.connect({
      host: address,
      port: gateway.port,
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
      if (!result.ok) socket.destroy();
      resolve(result);
    };
    const unreachable = (detail: string) => finish({ ok: false, failure: 'gateway-unreachable', detail });
    const abort = () => unreachable('aborted');
    const timer = setTimeout(() => unreachable('no answer'), handshakeTimeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    socket.setNoDelay(true);
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
