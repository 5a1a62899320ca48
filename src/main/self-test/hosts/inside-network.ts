import { internetChecksum } from '#node/network/internet-checksum.ts';
import { addresses, names, ports, type AddressPair } from '../addresses.ts';
import { answerDns, isIpv6Question } from '../dns-answer.ts';
import {
  ipv4Bytes,
  ipv4Packet,
  ipv6Bytes,
  ipv6Packet,
  protocol,
  pseudoHeader,
  readPacket,
  type Packet,
} from '../packets/frame.ts';
import { createTcpAnswers } from './tcp-answers.ts';

/** Where programs of a self-test ask what the gateway has seen, through the tunnel: a port at its end of the tunnel. */
export const askPort = 44_350;

const both = ({ ipv4, ipv6 }: AddressPair) => [ipv4, ipv6];
const hosts = new Set([addresses.host, addresses.other].flatMap(both));
const resolvers = new Set([addresses.resolver, addresses.tunnelResolver].flatMap(both));
const ends = new Set(both(addresses.tunnelEnd));
const echo = { ipv4: { request: 8, reply: 0 }, ipv6: { request: 128, reply: 129 } } as const;
const udpHeaderBytes = 8;

/**
 * The network behind a gateway, as far as a self-test looks at it, without a device: hosts that answer pings, TCP and
 * datagrams, resolvers, and a port for questions. Needs no rights, and is the same on all systems.
 */
export function createInsideNetwork(options: {
  /** Sends a packet into the tunnel. */
  send: (packet: Buffer) => void;
  /** Gets texts that were brought to hosts, and names with the resolvers that were asked for them. */
  heard: string[];
  /** Answers a question that came to `askPort`. */
  onAsk: (question: Buffer) => Promise<Buffer | undefined>;
}): { receive: (packet: Buffer) => void } {
  const { send, heard } = options;
  const tcp = createTcpAnswers({
    send,
    isListening: ({ destination, destinationPort }) =>
      hosts.has(destination) && destinationPort === ports.http,
    answer(line, { source }) {
      heard.push(line);
      return `inside ${source}\n`;
    },
  });

  function takeDatagram(packet: Packet): void {
    const { destination, destinationPort, payload } = packet;
    const content = payload.subarray(udpHeaderBytes);
    if (hosts.has(destination) && destinationPort === ports.echo) {
      heard.push(content.toString());
      send(datagramTo(packet, Buffer.concat([Buffer.from('inside '), content])));
    } else if (resolvers.has(destination) && destinationPort === ports.dns) {
      const answer = answerDns(content, (question) => {
        heard.push(`${question.name} at ${destination}`);
        const found = addressOf(question.name);
        if (!found) return undefined;
        return isIpv6Question(question) ? ipv6Bytes(found.ipv6) : ipv4Bytes(found.ipv4);
      });
      if (answer) send(datagramTo(packet, answer));
    } else if (ends.has(destination) && destinationPort === askPort) {
      void options.onAsk(content).then(
        (answer) => answer && send(datagramTo(packet, answer)),
        () => undefined,
      );
    }
  }

  return {
    receive(bytes) {
      const packet = readPacket(bytes);
      if (!packet) return;
      const isV6 = packet.destination.includes(':');
      if (packet.protocol === protocol.tcp) tcp.receive(packet);
      else if (packet.protocol === protocol.udp && packet.payload.length >= udpHeaderBytes)
        takeDatagram(packet);
      else if (packet.protocol === (isV6 ? protocol.icmpv6 : protocol.icmp)) {
        const { request } = isV6 ? echo.ipv6 : echo.ipv4;
        const isKnown = hosts.has(packet.destination) || ends.has(packet.destination);
        if (packet.payload[0] === request && isKnown) send(pongTo(packet));
      }
    },
  };
}

/** The same hosts as outside, so that an answer says by which way it was asked. */
const addressOf = (name: string): AddressPair | undefined => {
  if (name === names.where) return addresses.host;
  return name.endsWith(`.${names.probes}`) ? addresses.other : undefined;
};

function packetTo({ source, destination }: Packet, kind: number, payload: Buffer): Buffer {
  const make = source.includes(':') ? ipv6Packet : ipv4Packet;
  return make({ source: destination, destination: source, kind }, payload);
}

function datagramTo(packet: Packet, content: Buffer): Buffer {
  const head = Buffer.alloc(udpHeaderBytes);
  head.writeUInt16BE(packet.destinationPort, 0);
  head.writeUInt16BE(packet.sourcePort, 2);
  head.writeUInt16BE(udpHeaderBytes + content.length, 4);
  const datagram = Buffer.concat([head, content]);
  const pseudo = pseudoHeader(packet.destination, packet.source, protocol.udp, datagram.length);
  // 0 would mean that there is none (RFC 768).
  datagram.writeUInt16BE(internetChecksum(pseudo, datagram) || 0xffff, 6);
  return packetTo(packet, protocol.udp, datagram);
}

function pongTo(packet: Packet): Buffer {
  const isV6 = packet.source.includes(':');
  const message = Buffer.from(packet.payload);
  message[0] = isV6 ? echo.ipv6.reply : echo.ipv4.reply;
  message.writeUInt16BE(0, 2);
  const kind = isV6 ? protocol.icmpv6 : protocol.icmp;
  const parts = isV6
    ? [pseudoHeader(packet.destination, packet.source, kind, message.length), message]
    : [message];
  message.writeUInt16BE(internetChecksum(...parts), 2);
  return packetTo(packet, kind, message);
}
