import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { OpenDatagrams } from '../tunnel/datagram-port.ts';

/** Room for what arrives while this process does something else; the system gives as much of it as it allows. */
const receiveBufferBytes = 1024 * 1024;

/**
 * A closed socket is kept for as long: where nobody listens, the gateway's datagrams are answered with errors (ICMP),
 * and those end ocserv's session.
 */
const lingerMs = 30_000;

/** A socket that is connected to a port of the gateway, so that it gets datagrams from nowhere else. */
export const datagramsTo =
  (address: string, port: number): OpenDatagrams =>
  ({ onDatagram, onError }) => {
    const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4' });
    let isConnected = false;
    let isWithoutWay = false;
    let isClosed = false;
    const early: Buffer[] = [];
    const send = (datagram: Buffer) => socket.send(datagram, (error) => error && !isClosed && onError(error));
    socket.on('error', (error) => void (!isClosed && onError(error)));
    socket.on('message', (datagram) => void (!isClosed && onDatagram(datagram)));
    // Called with an error, too, such as that there is no route: it is then as if nobody answered.
    socket.connect(port, address, (error?: Error) => {
      if (error) {
        isWithoutWay = true;
        early.length = 0;
        if (!isClosed) onError(error);
        return;
      }
      isConnected = true;
      socket.setRecvBufferSize(receiveBufferBytes);
      for (const datagram of early.splice(0)) send(datagram);
    });
    return {
      send(datagram) {
        if (isClosed || isWithoutWay) return;
        if (isConnected) send(datagram);
        else early.push(datagram);
      },
      close() {
        isClosed = true;
        setTimeout(() => socket.close(), lingerMs);
      },
    };
  };
