import { isIPv6 } from 'node:net';
import { constants, layouts } from './darwin.ts';
import { CallFailed, type Libc } from './libc.ts';
import { encodeAddress } from './socket-address.ts';

interface Endpoint {
  address: string;
  port: number;
}

/** Pending connections; the kernel limits it (listen(2)). */
const backlog = 511;

/**
 * A TCP socket by its descriptor. It belongs to the effective user of this moment (XNU, bsd/kern/uipc_socket.c,
 * socreate_internal), which is whom the packet filter asks for.
 */
export function openTcp(libc: Libc, { address }: Endpoint): number {
  const family = isIPv6(address) ? constants.AF_INET6 : constants.AF_INET;
  const descriptor = libc.socket(family, constants.SOCK_STREAM, 0);
  libc.closeOnExec(descriptor);
  libc.setNonBlocking(descriptor);
  return descriptor;
}

/** Begins to connect. Throws `CallFailed` if it cannot even be tried; the socket is closed then. */
export function connectTcp(libc: Libc, descriptor: number, endpoint: Endpoint): void {
  try {
    libc.connect(descriptor, encodeEndpoint(endpoint));
  } catch (error) {
    if (error instanceof CallFailed && error.errno === constants.EINPROGRESS) return;
    libc.close(descriptor);
    throw error;
  }
}

/** False, and the socket is closed, if the port is in use. */
export function listenTcp(libc: Libc, descriptor: number, endpoint: Endpoint): boolean {
  try {
    const one = Buffer.alloc(4);
    one.writeInt32LE(1);
    // Closed connections of an earlier listener keep the port for a while (TIME_WAIT).
    libc.setOption(descriptor, constants.SOL_SOCKET, constants.SO_REUSEADDR, one);
    libc.bind(descriptor, encodeEndpoint(endpoint));
    libc.listen(descriptor, backlog);
    return true;
  } catch (error) {
    libc.close(descriptor);
    if (error instanceof CallFailed && error.errno === constants.EADDRINUSE) return false;
    throw error;
  }
}

function encodeEndpoint({ address, port }: Endpoint): Buffer {
  const encoded = encodeAddress(address);
  const { sockaddr_in, sockaddr_in6 } = layouts;
  encoded.writeUInt16BE(port, isIPv6(address) ? sockaddr_in6.sin6_port : sockaddr_in.sin_port);
  return encoded;
}
