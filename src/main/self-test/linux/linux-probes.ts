import { internetChecksum } from '#node/network/internet-checksum.ts';
import { protocol } from '../packets/frame.ts';
import type { Computer } from '../checks/surroundings.ts';
import { openSocket, type RawSocket } from './sockets.ts';

const echoRequest = { ipv4: 8, ipv6: 128 } as const;
const echoReply = { ipv4: 0, ipv6: 129 } as const;

/** The text of a ping, with its header. Of IPv6, the kernel makes the checksum (RFC 3542 §3.1). */
function pingMessage(host: string, token: string): Buffer {
  const isV6 = host.includes(':');
  const head = Buffer.alloc(8);
  head[0] = isV6 ? echoRequest.ipv6 : echoRequest.ipv4;
  head.writeUInt16BE(0x574d, 4);
  const message = Buffer.concat([head, Buffer.from(token)]);
  if (!isV6) message.writeUInt16BE(internetChecksum(message), 2);
  return message;
}

/** What programs send, by the kernel's own sockets; `uplink`: the device that some are bound to. */
export const linuxProbes = (uplink: string): Pick<Computer, 'datagrams' | 'connections' | 'pings'> => {
  const deviceOf = (isBound: boolean) => (isBound ? uplink : undefined);
  return {
    datagrams({ host, port, bytes, isBound }) {
      const socket = openSocket({ host, type: 'datagram', device: deviceOf(isBound) });
      return { send: () => socket.send(bytes, host, port), close: () => socket.close() };
    },
    connections({ host, port, isBound }) {
      const sockets: RawSocket[] = [];
      return {
        send() {
          const socket = openSocket({ host, type: 'stream', device: deviceOf(isBound) });
          sockets.push(socket);
          return socket.connect(host, port);
        },
        close() {
          for (const socket of sockets.splice(0)) socket.close();
        },
      };
    },
    pings({ host, token, isBound }) {
      const isV6 = host.includes(':');
      const socket = openSocket({
        host,
        type: 'raw',
        protocol: isV6 ? protocol.icmpv6 : protocol.icmp,
        device: deviceOf(isBound),
      });
      const message = pingMessage(host, token);
      const reply = isV6 ? echoReply.ipv6 : echoReply.ipv4;
      const isReply = (bytes: Buffer) =>
        bytes.includes(token) && (isV6 ? bytes[0] : bytes[((bytes[0] ?? 0) & 0x0f) * 4]) === reply;
      return {
        send: () => socket.send(message, host, 0),
        isAnswered() {
          for (let bytes = socket.receive(); bytes; bytes = socket.receive()) if (isReply(bytes)) return true;
          return false;
        },
        isIn: ({ payload }) => payload.includes(token),
        close: () => socket.close(),
      };
    },
  };
};
