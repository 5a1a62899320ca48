import { once } from 'node:events';
import type { Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import type { ProxyIdentity } from '#shared/helper/gateway-session.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import {
  byTrustedRoots,
  findAddedRoots,
  lacksRoot,
  trustSystemRoots,
} from '#node/anyconnect/system-roots.ts';
import { serverName } from '#node/tls/server-name.ts';

/** Who a proxy that speaks TLS has to be. Without a key, the system's roots decide by the name. */
export type ExpectedProxy = Pick<ProxyIdentity, 'name'> & Partial<ProxyIdentity>;

/**
 * Some proxies that speak no TLS wait for the end of a line. Less than whoever opens a connection waits for all of it.
 */
const handshakeLimitMs = 7_000;

/**
 * Makes TLS with a proxy (what `https://` means in front of one, and `HTTPS` in a PAC file), and verifies it before a
 * byte is sent: the password and the name of the destination come next. Resolves with its key, too; rejects if it is
 * somebody else, or speaks no TLS. Closing the result closes the transport.
 */
export async function secureProxy(
  transport: Socket,
  { name, certificatePin: pinned }: ExpectedProxy,
): Promise<{ socket: TLSSocket; certificatePin: string }> {
  if (pinned === undefined) trustSystemRoots();
  const socket = tls.connect({
    ...byTrustedRoots,
    socket: transport,
    servername: serverName(name),
    checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(name, certificate),
    // Decided below: a pinned key needs no issuer.
    rejectUnauthorized: false,
    // Some proxies would speak HTTP/2 otherwise.
    ALPNProtocols: ['http/1.1'],
  });
  // Also once it is used by others, who may not listen yet.
  socket.on('error', () => undefined);
  const { promise: closed, reject } = Promise.withResolvers<never>();
  socket.once('close', () => reject(socket.errored ?? transport.errored ?? new Error('closed')));
  closed.catch(() => undefined);
  const limit = setTimeout(() => socket.destroy(new Error('no answer')), handshakeLimitMs);
  await Promise.race([once(socket, 'secureConnect'), closed]).finally(() => clearTimeout(limit));
  const certificate = socket.getPeerX509Certificate();
  const key = certificate && certificatePin(certificate);
  const isKnown = pinned === undefined ? socket.authorized : key === pinned;
  if (key !== undefined && isKnown) return { socket, certificatePin: key };
  socket.destroy();
  // For the next connection.
  if (pinned === undefined && lacksRoot(String(socket.authorizationError))) void findAddedRoots();
  throw new Error(
    pinned === undefined ? String(socket.authorizationError) : 'its key is not that of the sign-in',
  );
}
