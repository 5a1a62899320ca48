import { once } from 'node:events';
import { isIPv6, type Socket } from 'node:net';
import { SocksClient } from 'socks';
import type { ProxyCredentials, ProxyProtocol } from '#shared/helper/gateway-session.ts';
import { readConnectAnswer } from './connect-answer.ts';
import { secureProxy, type ExpectedProxy } from './secure-proxy.ts';

/** Why a proxy has not connected to the target. */
export type ProxyRefusal =
  /** It requires credentials, or does not accept those that were sent. */
  | 'credentials'
  /** It requires a kind of authentication that is not supported here, such as Negotiate or NTLM. */
  | 'scheme'
  /** It refuses to connect to the target, or cannot. */
  | 'refused'
  /** It should speak TLS, and does not, or cannot prove who it is. */
  | 'untrusted'
  | 'no-answer';

export class ProxyRefused extends Error {
  override name = 'ProxyRefused';
  readonly why: ProxyRefusal;

  constructor(why: ProxyRefusal, detail: string) {
    super(`the proxy: ${detail}`);
    this.why = why;
  }
}

export interface ThroughProxy {
  /** A TCP connection to the proxy, which may still be connecting. It is closed if this fails. */
  transport: Socket;
  protocol: ProxyProtocol;
  credentials: ProxyCredentials | undefined;
  /** Who it has to be, where its protocol is `https`. */
  identity?: ExpectedProxy | undefined;
  /** Called with the key of such a proxy, once that is verified. */
  onKey?: ((certificatePin: string) => void) | undefined;
  /** What the proxy is asked to connect to; it looks the name up. */
  target: { host: string; port: number };
}

/** For the connection to the proxy, and for the proxy's own to the other end. */
const limitMs = 20_000;
/** Of an answer to CONNECT. */
const maxHeadBytes = 16 * 1024;

/**
 * Has a proxy connect to the target (RFC 9110 §9.3.6, or RFC 1928 and 1929); what is sent on the result goes there. Rejects
 * with `ProxyRefused`, or with the system's error if the proxy cannot be reached.
 */
export async function connectThroughProxy(through: ThroughProxy): Promise<Socket> {
  const { transport, protocol } = through;
  transport.on('error', () => undefined);
  const timer = setTimeout(
    () => transport.destroy(new ProxyRefused('no-answer', 'does not answer')),
    limitMs,
  );
  try {
    if (transport.connecting) await once(transport, 'connect');
    // One that the helper has handed over is paused; nothing comes before the proxy is asked.
    transport.resume();
    switch (protocol) {
      case 'http':
        await byConnect(through);
        return transport;
      case 'https':
        return await insideTls(through);
      case 'socks5':
        await bySocks(through);
        return transport;
      default:
        return protocol satisfies never;
    }
  } catch (error) {
    const cause: unknown = transport.errored ?? error;
    transport.destroy();
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

async function insideTls(through: ThroughProxy): Promise<Socket> {
  const { transport, identity } = through;
  if (!identity) throw new ProxyRefused('untrusted', 'nobody knows who it is');
  const secured = await secureProxy(transport, identity).catch((error: unknown) => {
    // The system's own errors say more: nothing listens there, for example.
    if (transport.errored) throw transport.errored;
    const detail = error instanceof Error ? error.message : 'fails';
    throw new ProxyRefused('untrusted', `no TLS with it: ${detail}`);
  });
  through.onKey?.(secured.certificatePin);
  await byConnect({ ...through, transport: secured.socket });
  return secured.socket;
}

async function byConnect({ transport, target, credentials }: ThroughProxy): Promise<void> {
  const authority = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`;
  const fields = [
    `Host: ${authority}`,
    ...(credentials ? [`Proxy-Authorization: ${basic(credentials)}`] : []),
  ];
  const answered = readConnectAnswer(transport, maxHeadBytes);
  transport.write([`CONNECT ${authority} HTTP/1.1`, ...fields, '', ''].join('\r\n'));
  const { status, field, rest } = await answered;
  if (status >= 200 && status < 300) {
    // The other end speaks TLS, in which it is not the first to say something.
    if (rest.length > 0) throw new ProxyRefused('refused', 'says more than it was asked');
    return;
  }
  // tinyproxy answers 401 to a wrong password.
  if (status === 401) throw new ProxyRefused('credentials', 'does not know the name and password');
  if (status !== 407) throw new ProxyRefused('refused', `answers ${status}`);
  throw /\bbasic\b/i.test(field('proxy-authenticate'))
    ? new ProxyRefused('credentials', 'wants a name and a password')
    : new ProxyRefused('scheme', 'wants to know who asks in an unknown way');
}

const basic = ({ username, password }: ProxyCredentials) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

async function bySocks({ transport, target, credentials }: ThroughProxy): Promise<void> {
  try {
    await SocksClient.createConnection({
      // Its address is only looked at where there is no connection yet.
      proxy: {
        host: '127.0.0.1',
        port: 1080,
        type: 5,
        ...(credentials && { userId: credentials.username, password: credentials.password }),
      },
      command: 'connect',
      destination: target,
      existing_socket: transport,
      timeout: limitMs,
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : 'fails';
    const isForCredentials = /authentication|no accepted/i.test(text);
    throw new ProxyRefused(isForCredentials ? 'credentials' : 'refused', text.toLowerCase());
  }
}
