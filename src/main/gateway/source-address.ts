import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/**
 * The address from which this computer would send to another one, or undefined if it has no route to it. Connecting a
 * datagram socket sends nothing.
 */
export async function sourceAddressTo(address: string): Promise<string | undefined> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.on('error', () => undefined);
  try {
    socket.connect(53, address);
    await once(socket, 'connect');
    return socket.address().address;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}
