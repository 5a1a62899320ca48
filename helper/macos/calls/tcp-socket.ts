import { isIPv6 } from 'node:net';
import { constants, layouts } from './darwin.ts';
import { CallFailed, type Libc } from './libc.ts';
import { encodeAddress } from './socket-address.ts';

/**
 * A TCP socket that begins to connect at once, by its descriptor; it belongs to the effective user of this moment (XNU,
 * bsd/kern/uipc_socket.c, socreate_internal). Throws `CallFailed` if it cannot even be tried.
 */
export function connectTcp(libc: Libc, { address, port }: { address: string; port: number }): number {
  const isSix = isIPv6(address);
  const descriptor = libc.socket(isSix ? constants.AF_INET6 : constants.AF_INET, constants.SOCK_STREAM, 0);
  try {
    libc.closeOnExec(descriptor);
    libc.setNonBlocking(descriptor);
    const encoded = encodeAddress(address);
    encoded.writeUInt16BE(port, isSix ? layouts.sockaddr_in6.sin6_port : layouts.sockaddr_in.sin_port);
    libc.connect(descriptor, encoded);
  } catch (error) {
    if (error instanceof CallFailed && error.errno === constants.EINPROGRESS) return descriptor;
    libc.close(descriptor);
    throw error;
  }
  return descriptor;
}
