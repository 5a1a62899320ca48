import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';

/**
 * Constants of <asm-generic/socket.h>, <linux/net.h> and <asm-generic/errno.h>, the same on all supported platforms.
 */
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const EADDRINUSE = 98;
const EINPROGRESS = 115;

/** Pending connections; the kernel limits it (listen(2)). */
const backlog = 511;

interface Libc {
  socket(domain: number, type: number, protocol: number): number;
  connect(descriptor: number, address: Buffer, length: number): number;
  setsockopt(descriptor: number, level: number, option: number, value: Int32Array, length: number): number;
  bind(descriptor: number, address: Buffer, length: number): number;
  listen(descriptor: number, backlog: number): number;
  getsockname(descriptor: number, address: Buffer, length: Uint32Array): number;
  setfsuid(uid: number): number;
}

let loaded: Libc | undefined;

/** Loaded when it is first needed: other systems have no such functions. */
function libc(): Libc {
  if (loaded) return loaded;
  const library = koffi.load(null);
  loaded = {
    socket: library.func('int socket(int, int, int)') as Libc['socket'],
    connect: library.func('int connect(int, const void *, uint32_t)') as Libc['connect'],
    setsockopt: library.func('int setsockopt(int, int, int, const void *, uint32_t)') as Libc['setsockopt'],
    bind: library.func('int bind(int, const void *, uint32_t)') as Libc['bind'],
    getsockname: library.func(
      'int getsockname(int, _Out_ void *, _Inout_ uint32_t *)',
    ) as Libc['getsockname'],
    listen: library.func('int listen(int, int)') as Libc['listen'],
    setfsuid: library.func('int setfsuid(uint32_t)') as Libc['setfsuid'],
  };
  return loaded;
}

/** Not a valid uid: setfsuid(2) changes nothing then, and returns the current one. */
const unchanged = 0xffffffff;

/**
 * Connects a TCP socket that belongs to another user from its creation, both for routing rules (`uidrange`) and for the
 * packet filter (`meta skuid`): these use the file system uid of the thread that creates it (Linux, net/socket.c,
 * sock_alloc; include/net/sock.h, sk_uid). The socket reports whether it succeeds: see `untilMade`. Throws, with the
 * error's name as `code`, if it cannot even be tried.
 */
export function connectTcpAs(uid: number, endpoint: { address: string; port: number }): Socket {
  const address = socketAddress(endpoint.address, endpoint.port);
  const descriptor = socketAs(uid, addressFamilyOf(endpoint.address));
  if (libc().connect(descriptor, address, address.length) !== 0 && koffi.errno() !== EINPROGRESS) {
    const errno = koffi.errno();
    closeSync(descriptor);
    throw Object.assign(new Error(`connect failed with errno ${errno}`), {
      code: getSystemErrorName(-errno),
    });
  }
  return new Socket({ fd: descriptor, readable: true, writable: true, allowHalfOpen: true });
}

/**
 * The descriptor of a listening TCP socket that belongs to another user from its creation, or undefined if the port is
 * in use. Binding uses our own rights: setfsuid(2) only drops capabilities for files.
 */
export function listenTcpAs(uid: number, endpoint: { address: string; port: number }): number | undefined {
  const address = socketAddress(endpoint.address, endpoint.port);
  const descriptor = socketAs(uid, addressFamilyOf(endpoint.address));
  // Closed connections of an earlier listener keep the port for a minute (tcp(7), TIME_WAIT).
  const isListening =
    libc().setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32Array.of(1), 4) === 0 &&
    libc().bind(descriptor, address, address.length) === 0 &&
    libc().listen(descriptor, backlog) === 0;
  if (isListening) return descriptor;
  const errno = koffi.errno();
  closeSync(descriptor);
  if (errno === EADDRINUSE) return undefined;
  throw new Error(`listening failed with errno ${errno}`);
}

/** The port to which an IPv4 socket is bound. */
export function localPort(descriptor: number): number {
  const address = Buffer.alloc(16);
  if (libc().getsockname(descriptor, address, new Uint32Array([address.length])) !== 0)
    throw new Error(`getsockname failed with errno ${koffi.errno()}`);
  return address.readUInt16BE(2);
}

function socketAs(uid: number, domain: number): number {
  const own = libc().setfsuid(uid);
  try {
    if (libc().setfsuid(unchanged) !== uid) throw new Error(`a socket cannot be made for uid ${uid}`);
    const descriptor = libc().socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) throw new Error(`socket failed with errno ${koffi.errno()}`);
    return descriptor;
  } finally {
    libc().setfsuid(own);
  }
}
