import { closeSync } from 'node:fs';
import { isIPv6, Socket } from 'node:net';
import koffi from 'koffi';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';
import { waitToTheEnd } from '#node/wait-to-the-end.ts';
import { insideNetworkNamespace } from '../network/network-namespace.ts';

/**
 * Sockets of this process that are inside a machine's network: a socket stays in the namespace in which it was made,
 * and a program that was started for each would cost ten times as much.
 */

/** linux/net.h and asm-generic/errno.h. */
const kinds = { stream: 1, datagram: 2 };
const [nonBlocking, closeOnExec] = [0o4000, 0o2000000];
const inProgress = 115;

function loadCalls() {
  const libc = koffi.load('libc.so.6');
  return {
    socket: libc.func('int socket(int domain, int type, int protocol)'),
    connect: libc.func('int connect(int fd, uint8_t *address, uint32_t length)'),
    sendto: libc.func(
      'long sendto(int fd, uint8_t *bytes, size_t length, int flags, uint8_t *address, uint32_t size)',
    ),
  } as Record<'socket' | 'connect' | 'sendto', (...given: unknown[]) => number>;
}

let calls: ReturnType<typeof loadCalls> | undefined;

/** Makes a socket inside, and does something with it at once; it is closed where that says so. */
function withSocket(
  namespace: string,
  host: string,
  kind: keyof typeof kinds,
  use: (fd: number, made: NonNullable<typeof calls>) => boolean,
): number | undefined {
  const made = (calls ??= loadCalls());
  return insideNetworkNamespace(namespace, () => {
    const fd = made.socket(addressFamilyOf(host), kinds[kind] | nonBlocking | closeOnExec, 0);
    if (fd < 0) throw new Error(`no socket in ${namespace}: ${koffi.errno()}`);
    if (use(fd, made)) return fd;
    closeSync(fd);
    return undefined;
  });
}

/** A connection that is being made from inside; undefined if the kernel refuses at once. */
function connectInside(namespace: string, host: string, port: number): Socket | undefined {
  const address = socketAddress(host, port);
  const fd = withSocket(
    namespace,
    host,
    'stream',
    (made, { connect }) => connect(made, address, address.length) === 0 || koffi.errno() === inProgress,
  );
  return fd === undefined ? undefined : new Socket({ fd });
}

/** Sends a datagram from inside; that the kernel refuses is a result, not an error. */
export function sendInside(namespace: string, host: string, port: number, payload: Uint8Array): void {
  const address = socketAddress(host, port);
  withSocket(namespace, host, 'datagram', (fd, { sendto }) => {
    sendto(fd, payload, payload.length, 0, address, address.length);
    return false;
  });
}

/**
 * Asks for a connection from inside, and does not wait for it: its first packet has left when this returns, or was
 * refused.
 */
export function knockInside(namespace: string, host: string, port: number): void {
  const address = socketAddress(host, port);
  withSocket(namespace, host, 'stream', (fd, { connect }) => {
    connect(fd, address, address.length);
    return false;
  });
}

export interface Patience {
  /** Milliseconds after which a connection that is not made is given up. */
  readonly connectMs: number;
  /** Milliseconds that an answer may take altogether. */
  readonly answerMs: number;
}

/** What an HTTP server answers to a request from inside; undefined if nothing comes. */
export function getInside(
  namespace: string,
  { host, port, path }: { host: string; port: number; path: string },
  { connectMs, answerMs }: Patience,
): Promise<string | undefined> {
  const socket = connectInside(namespace, host, port);
  if (!socket) return Promise.resolve(undefined);
  const name = isIPv6(host) ? `[${host}]` : host;
  return new Promise((resolve) => {
    let answer = '';
    const settle = (whole: boolean) => {
      stop();
      socket.destroy();
      const at = answer.indexOf('\r\n\r\n');
      resolve(whole && at >= 0 ? answer.slice(at + 4) : undefined);
    };
    let stop = waitToTheEnd(connectMs, () => settle(false));
    // It can be sent once there is a connection.
    socket.write(`GET ${path} HTTP/1.0\r\nHost: ${name}\r\n\r\n`, (error) => {
      if (error) return;
      stop();
      stop = waitToTheEnd(answerMs, () => settle(false));
    });
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.once('error', () => settle(false));
    socket.once('end', () => settle(true));
  });
}
