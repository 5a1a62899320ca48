import { once } from 'node:events';
import { isIPv6, type Socket } from 'node:net';
import { SocksClient } from 'socks';
import type { ProxyCredentials, ProxyProtocol } from '#shared/helper/gateway-session.ts';
import { basicRealm } from './basic-realm.ts';
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
  /** The realm for which it wants credentials, as far as it has said so. */
  readonly realm: string | undefined;

  constructor(why: ProxyRefusal, detail: string, realm?: string) {
    super(`the proxy: ${detail}`);
    this.why = why;
    this.realm = realm;
  }
}

export interface ThroughProxy {
  /**
   * Opens a TCP connection to the proxy, which may still be connecting. Called once more where the proxy asks for
   * credentials. It is closed if this fails.
   */
  connect(): Promise<Socket>;
  protocol: ProxyProtocol;
  /** Sent only to a proxy that asks for them, and for their realm. */
  credentials: ProxyCredentials | undefined;
  /** Who it has to be, where its protocol is `https`. */
  identity?: ExpectedProxy | undefined;
  /** Called with the key of such a proxy, once that is verified. */
  onKey?: ((certificatePin: string) => void) | undefined;
  /** What the proxy is asked to connect to; it looks the name up. */
  target: { host: string; port: number };
}

/** For the connections to the proxy, and for the proxy's own to the other end. */
const limitMs = 20_000;
/** Of an answer to CONNECT. */
const maxHeadBytes = 16 * 1024;

/**
 * Has a proxy connect to the target (RFC 9110 §9.3.6, or RFC 1928 and 1929); what is sent on the result goes there.
 * Rejects with `ProxyRefused`, or with the system's error if the proxy cannot be reached.
 */
export async function connectThroughProxy(through: ThroughProxy): Promise<Socket> {
  let transport: Socket | undefined;
  let late: ProxyRefused | undefined;
  const timer = setTimeout(() => {
    late = new ProxyRefused('no-answer', 'does not answer');
    transport?.destroy(late);
  }, limitMs);
  const open = async (): Promise<Socket> => {
    transport?.destroy();
    const opened = await through.connect();
    transport = opened.on('error', () => undefined);
    if (late) opened.destroy(late);
    if (opened.connecting) await once(opened, 'connect');
    // One that the helper has handed over is paused; nothing comes before the proxy is asked.
    return opened.resume();
  };
  try {
    switch (through.protocol) {
      case 'http':
        return await byConnect(through, open);
      case 'https':
        return await byConnect(through, async () => await insideTls(through, await open()));
      case 'socks5':
        return await bySocks(through, await open());
      default:
        return through.protocol satisfies never;
    }
  } catch (error) {
    const cause: unknown = late ?? transport?.errored ?? error;
    transport?.destroy();
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

async function insideTls({ identity, onKey }: ThroughProxy, transport: Socket): Promise<Socket> {
  if (!identity) throw new ProxyRefused('untrusted', 'nobody knows who it is');
  const secured = await secureProxy(transport, identity).catch((error: unknown) => {
    // The system's own errors say more: nothing listens there, for example.
    if (transport.errored) throw transport.errored;
    const detail = error instanceof Error ? error.message : 'fails';
    throw new ProxyRefused('untrusted', `no TLS with it: ${detail}`);
  });
  onKey?.(secured.certificatePin);
  return secured.socket;
}

/**
 * Without credentials first: whoever is there gets them only if they ask for them, and for their realm. Then on another
 * connection, since many proxies close the first one.
 */
async function byConnect(
  { target, credentials }: ThroughProxy,
  open: () => Promise<Socket>,
): Promise<Socket> {
  const first = await open();
  const asked = await askToConnect(first, target);
  if (asked === 'connected') return first;
  const { realm } = asked;
  if (!credentials) throw new ProxyRefused('credentials', 'wants a name and a password', realm);
  if (credentials.realm !== undefined && credentials.realm !== realm)
    throw new ProxyRefused('credentials', 'wants a name and a password for another realm', realm);
  const second = await open();
  if ((await askToConnect(second, target, credentials)) === 'connected') return second;
  throw new ProxyRefused('credentials', 'does not know the name and password', realm);
}

/** Resolves with the realm for which credentials are wanted, if they are. */
async function askToConnect(
  transport: Socket,
  target: ThroughProxy['target'],
  credentials?: ProxyCredentials,
): Promise<'connected' | { realm: string | undefined }> {
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
    return 'connected';
  }
  // tinyproxy answers 401 to a wrong password.
  if (status === 401 && credentials) return { realm: undefined };
  if (status === 401) throw new ProxyRefused('refused', 'asks as if it were the other end');
  if (status !== 407) throw new ProxyRefused('refused', `answers ${status}`);
  const realm = basicRealm(field('proxy-authenticate'));
  if (realm === undefined) throw new ProxyRefused('scheme', 'wants to know who asks in an unknown way');
  return { realm };
}

const basic = ({ username, password }: ProxyCredentials) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

async function bySocks({ target, credentials }: ThroughProxy, transport: Socket): Promise<Socket> {
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
    return transport;
  } catch (error) {
    const text = error instanceof Error ? error.message : 'fails';
    const isForCredentials = /authentication|no accepted/i.test(text);
    throw new ProxyRefused(isForCredentials ? 'credentials' : 'refused', text.toLowerCase());
  }
}
