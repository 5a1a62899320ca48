import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import type { Gateway } from '#shared/tunnel/state.ts';
import { byTrustedRoots, findAddedRoots, lacksRoot, trustSystemRoots } from './system-roots.ts';
import { certificatePin } from './certificate-pin.ts';
import { ProxyRefused, type ProxyRefusal } from '#node/proxy/connect-through-proxy.ts';
import { openWithFittingMessage } from '#node/tls/first-message.ts';
import { openTcp } from '#node/tls/open-tcp.ts';
import { certificateFault } from '#node/tls/certificate-fault.ts';
import { serverName } from '#node/tls/server-name.ts';
import type { ClientCertificate } from '#shared/helper/gateway-session.ts';

/** How to verify a gateway's certificate. */
export interface GatewayTrust {
  /**
   * Any of these keys is enough, and then name, issuer and dates do not matter. If empty, the system's roots decide.
   */
  pins: readonly string[];
  /**
   * A TLS session, in the notation of Node’s TLS, of an earlier connection to a gateway whose key was one of the pinned
   * ones: nobody else can resume it (RFC 5077 §5, RFC 8446 §2.2). An invalid one is ignored, and so is any without
   * pins.
   */
  session?: Buffer | undefined;
}

/** Why a gateway is unreachable, where more is known than that nothing came back. */
export type UnreachableCause =
  | 'gateway-refuses-connections'
  | 'gateway-without-route'
  | 'gateway-tls-failed'
  | 'gateway-tls-outdated'
  | 'gateway-renegotiation-unsafe'
  | 'proxy-refused'
  | 'proxy-credentials'
  | 'proxy-untrusted';

/** By this computer's clock, the certificate has expired or is not valid yet: the clock may be wrong. */
type RefusedCause = 'gateway-certificate-dates';

export type GatewayFailureCause = UnreachableCause | RefusedCause;

export type GatewayTlsResult =
  | {
      ok: true;
      socket: tls.TLSSocket;
      pin: string;
      /** The TLS session that the gateway has given last, for `GatewayTrust`; it may come after the handshake. */
      session: () => Buffer | undefined;
    }
  | { ok: false; failure: 'gateway-unreachable'; detail: string; cause?: UnreachableCause }
  | { ok: false; failure: 'gateway-certificate-refused'; detail: string; cause?: RefusedCause }
  | { ok: false; failure: 'certificate-required'; detail: string; cause?: undefined };

/**
 * Opens the connection on which TLS will run, to a gateway at an address; it may still be connecting. Rejects if it
 * fails. `port`: where a proxy is at that address in the gateway's place.
 */
export type ConnectToGateway = (gateway: Gateway, address: string, port?: number) => Promise<Socket>;

export const connectDirectly: ConnectToGateway = (gateway, address, port = gateway.port) =>
  openTcp(address, port);

/** For an answer to the first packet, and for TLS after it, which may take several such answers longer. */
const handshakeTimeoutMs = 10_000;
const roundTrips = 4;
/** How many such waits more a gateway gets that answers slowly: a minute in all. */
const maxSlowWaits = 5;

/** Opens TLS to `gateway` at `address`, and verifies the other end before a byte of the protocol is sent. */
export async function openGatewayTls(
  gateway: Gateway,
  address: string,
  trust: GatewayTrust,
  signal: AbortSignal,
  /** The client's identity, if the gateway asks for it. */
  identity?: ClientCertificate,
  connect: ConnectToGateway = connectDirectly,
  /** TCP is there, after so many milliseconds. */
  onConnected?: (tookMs: number) => void,
): Promise<GatewayTlsResult> {
  if (trust.pins.length === 0) trustSystemRoots();
  const context = contextWith(identity);
  if (context instanceof Error) return certificateRequired(context.message);
  const open = (ciphers?: string) =>
    openWithFittingMessage({
      host: gateway.host,
      connect: () => connect(gateway, address),
      connectMs: handshakeTimeoutMs,
      secure(transport, how) {
        onConnected?.(how.tookMs);
        return secureGateway({ gateway, trust, identity, transport, ciphers, ...how });
      },
      signal,
    });
  const openByAny = async () => {
    const opened = await open();
    if (!hasSmallGroup(opened)) return opened;
    const again = await open(otherKeyExchanges);
    return !again.ok && again.failure === 'gateway-unreachable' ? opened : again;
  };
  try {
    const opened = await openByAny();
    // An administrator may have added a root since this process has read them.
    const mayBeAdded =
      !opened.ok && opened.failure === 'gateway-certificate-refused' && lacksRoot(opened.detail);
    return mayBeAdded && (await findAddedRoots()) && !signal.aborted ? await openByAny() : opened;
  } catch (error) {
    return signal.aborted ? unreachable('aborted') : unreachableBy(error);
  }
}

/** Without Diffie-Hellman in a group of the gateway's choice, which browsers do not offer either. */
const otherKeyExchanges = `${tls.DEFAULT_CIPHERS}:!DHE`;

/** Whether the gateway has chosen too small a group for it; it may know other ways, too (openfortivpn's issue 725). */
const hasSmallGroup = (result: GatewayTlsResult): boolean =>
  !result.ok && /dh key too small/i.test(result.detail.replaceAll('_', ' '));

function secureGateway(options: {
  gateway: Gateway;
  trust: GatewayTrust;
  identity: ClientCertificate | undefined;
  transport: Socket;
  groups: string | undefined;
  /** In OpenSSL's notation; undefined: Node's own. */
  ciphers: string | undefined;
  tookMs: number;
  signal: AbortSignal;
}): Promise<GatewayTlsResult> {
  const { gateway, trust, transport, signal } = options;
  const secureContext = contextWith(options.identity, options, trust);
  if (secureContext instanceof Error) {
    transport.destroy();
    return Promise.resolve(certificateRequired(secureContext.message));
  }
  const { session } = trust.pins.length > 0 ? trust : {};
  let given: Buffer | undefined;
  return new Promise((resolve) => {
    const socket = tls.connect({
      socket: transport,
      secureContext,
      servername: serverName(gateway.host),
      checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(gateway.host, certificate),
      // Decided below, so that pinned keys and the system's roots are handled in the same way.
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    });
    socket.on('session', (one: Buffer) => {
      given = one;
    });
    const finish = (result: GatewayTlsResult) => {
      signal.removeEventListener('abort', abort);
      limit.end();
      if (!result.ok) {
        socket.destroy();
        transport.destroy();
      }
      resolve(result);
    };
    const abort = () => finish(unreachable('aborted'));
    const limit = limitAnswer(transport, options.tookMs, () => finish(unreachable('no answer')));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    transport.setNoDelay(true);
    transport.on('error', (error) => finish(unreachableBy(error)));
    // TLS may see that its transport has closed before it hears of the error that closed it.
    const closed = () => {
      const error = transport.errored ?? socket.errored;
      finish(error ? unreachableBy(error) : unreachable('closed'));
    };
    transport.once('close', closed);
    // Never removed: a connection that fails later must not be an unhandled error.
    socket.on('error', (error) =>
      wantsCertificate(error) || missesCertificate(error, socket)
        ? finish(certificateRequired(error.message))
        : finish(unreachableBy(error)),
    );
    socket.once('close', closed);
    socket.once('secureConnect', () => {
      try {
        const verified = verify(socket, trust);
        finish(verified.ok ? { ...verified, session: () => given } : verified);
      } catch (error) {
        // A key that Node cannot read, for example.
        finish(refused(error instanceof Error ? error.message : 'not readable'));
      }
    });
  });
}

/**
 * Calls back when the gateway takes too long to answer, compared with how long the connection took. Whoever goes on
 * answering is waited for, but not for ever: a byte now and then would keep the connection, and whoever waits for it.
 */
function limitAnswer(transport: Socket, tookMs: number, onLimit: () => void): { end(): void } {
  let timer: NodeJS.Timeout | undefined;
  let heard = transport.bytesRead;
  const wait = (milliseconds: number, waitsLeft: number) => {
    timer = setTimeout(() => {
      if (transport.bytesRead === heard || waitsLeft === 0) return onLimit();
      // It answers, if slowly.
      heard = transport.bytesRead;
      wait(milliseconds, waitsLeft - 1);
    }, milliseconds);
  };
  wait(handshakeTimeoutMs + roundTrips * tookMs, maxSlowWaits);
  return { end: () => clearTimeout(timer) };
}

const unreachable = (detail: string) => ({ ok: false, failure: 'gateway-unreachable', detail }) as const;

/** An error if TLS refuses the client's key or certificate. */
function contextWith(
  identity: ClientCertificate | undefined,
  { groups, ciphers }: { groups?: string | undefined; ciphers?: string | undefined } = {},
  trust?: GatewayTrust,
): tls.SecureContext | Error {
  try {
    return tls.createSecureContext({
      ...(identity && { cert: identity.certificate, key: identity.key }),
      ...(groups !== undefined && { ecdhCurve: groups }),
      ...(ciphers !== undefined && { ciphers }),
      ...(trust?.pins.length === 0 && byTrustedRoots),
    });
  } catch (error) {
    return error instanceof Error ? error : new Error('not a certificate with its key');
  }
}

/**
 * Whether a gateway has ended TLS because it wants a client certificate, or another one (RFC 8446 §6.2). With TLS 1.3,
 * this happens after the handshake.
 */
export function wantsCertificate(error: unknown): boolean {
  return (
    error instanceof Error &&
    /alert (?:bad certificate|unsupported certificate|certificate (?:required|unknown|revoked|expired)|unknown ca)/i.test(
      // BoringSSL, which Electron uses, writes them with underscores.
      error.message.replaceAll('_', ' '),
    )
  );
}

/**
 * The same in the handshake of TLS 1.2, where one alert is for everything that does not suit (RFC 5246 §7.2.2): with no
 * cipher in common, for example, it comes instead of the gateway's certificate, not after it.
 */
const missesCertificate = (error: Error, socket: tls.TLSSocket): boolean =>
  /alert handshake failure/i.test(error.message.replaceAll('_', ' ')) &&
  socket.getPeerX509Certificate() !== undefined;

/** The result for a connection that failed with `error`; the log gets its code. */
export function unreachableBy(error: unknown): Extract<GatewayTlsResult, { failure: 'gateway-unreachable' }> {
  const message = error instanceof Error ? error.message : 'no connection';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const detail = code === '' || message.includes(code) ? message : `${code}: ${message}`;
  const cause =
    error instanceof ProxyRefused ? proxyCauses[error.why] : causeOf(code, message.replaceAll('_', ' '));
  return { ok: false, failure: 'gateway-unreachable', detail, ...(cause && { cause }) };
}

const proxyCauses: Readonly<Record<ProxyRefusal, UnreachableCause | undefined>> = {
  credentials: 'proxy-credentials',
  scheme: 'proxy-refused',
  refused: 'proxy-refused',
  untrusted: 'proxy-untrusted',
  'no-answer': undefined,
};

function causeOf(code: string, message: string): UnreachableCause | undefined {
  if (code === 'ECONNREFUSED') return 'gateway-refuses-connections';
  if (['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN'].includes(code)) return 'gateway-without-route';
  // OpenSSL's words, or BoringSSL's for the same.
  if (/unsafe legacy renegotiation/i.test(message)) return 'gateway-renegotiation-unsafe';
  const outdated = /unsupported protocol|protocol version|dh key too small|no shared cipher/i;
  if (outdated.test(message)) return 'gateway-tls-outdated';
  return code.startsWith('ERR_SSL') || /ssl routines|\balert\b/i.test(message)
    ? 'gateway-tls-failed'
    : undefined;
}

const certificateRequired = (detail: string) =>
  ({ ok: false, failure: 'certificate-required', detail }) as const;

type Verified =
  | Omit<Extract<GatewayTlsResult, { ok: true }>, 'session'>
  | Extract<GatewayTlsResult, { ok: false }>;

function verify(socket: tls.TLSSocket, trust: GatewayTrust): Verified {
  const [pinned] = trust.pins;
  // No certificate comes then.
  if (pinned !== undefined && trust.session && socket.isSessionReused())
    return { ok: true, socket, pin: pinned };
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return refused('no certificate');
  const pin = certificatePin(certificate);
  if (trust.pins.length > 0) {
    return trust.pins.includes(pin)
      ? { ok: true, socket, pin }
      : refused(`the key is none of the pinned ones: ${pin}`);
  }
  // The type says Error, but at run time it is a string such as ERR_TLS_CERT_ALTNAME_INVALID.
  return socket.authorized
    ? { ok: true, socket, pin }
    : refusedFor(String(socket.authorizationError), certificate);
}

/** Of all that is wrong, the code says the last only: what nobody has issued, such as a router's, has more than that. */
function refusedFor(code: string, { subject, issuer }: X509Certificate): Refused {
  const areDates = certificateFault(code) === 'dates' && subject !== issuer;
  return { ...refused(code), ...(areDates && { cause: 'gateway-certificate-dates' as const }) };
}

type Refused = Extract<GatewayTlsResult, { failure: 'gateway-certificate-refused' }>;

function refused(detail: string): Refused {
  return { ok: false, failure: 'gateway-certificate-refused', detail };
}
