import { createSocket } from 'node:dgram';
import { createServer, isIPv6 } from 'node:net';
import dnsPacket, { type Answer, type Packet } from 'dns-packet';
import { names, ports } from './addresses.ts';
import type { Zone } from './zones.ts';

/** A query that a resolver received. */
export interface ResolverQuery {
  readonly name: string;
  readonly type: string;
  readonly from: string;
}

/** Answers A and AAAA from `zone`, and NXDOMAIN for everything else; over UDP and TCP. */
export async function serveDns(
  address: string,
  zone: Zone,
  onQuery: (query: ResolverQuery) => void,
): Promise<void> {
  const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  udp.on('message', (message, peer) => {
    const reply = answer(zone, dnsPacket.decode(message), peer.address, onQuery);
    udp.send(dnsPacket.encode(reply), peer.port, peer.address);
  });
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      // RFC 1035 §4.2.2: each message is preceded by its length in two bytes.
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const query = dnsPacket.streamDecode(received.subarray(0, end));
        received = received.subarray(end);
        if (query) {
          socket.write(dnsPacket.streamEncode(answer(zone, query, socket.remoteAddress ?? '', onQuery)));
        }
      }
    });
  });
  await Promise.all([
    new Promise<void>((resolve) => udp.bind(ports.dns, address, resolve)),
    new Promise<void>((resolve) => tcp.listen(ports.dns, address, resolve)),
  ]);
}

const responseFlags = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE;
const nameError = 3;

function answer(zone: Zone, query: Packet, from: string, onQuery: (query: ResolverQuery) => void): Packet {
  const [question] = query.questions ?? [];
  if (!question) return { type: 'response', id: query.id };
  const name = question.name.toLowerCase();
  onQuery({ name, type: question.type, from });
  const host = zone[name] ?? (name.endsWith(`.${names.probes}`) ? zone[names.probes] : undefined);
  const answers: Answer[] = [];
  // A lifetime of zero: a name must be looked up again whenever the resolver changes.
  const record = { name: question.name, ttl: 0 };
  if (question.type === 'A' && host?.ipv4) answers.push({ ...record, type: 'A', data: host.ipv4 });
  if (question.type === 'AAAA' && host?.ipv6) answers.push({ ...record, type: 'AAAA', data: host.ipv6 });
  return {
    type: 'response',
    id: query.id,
    flags: responseFlags | (host ? 0 : nameError),
    questions: [question],
    answers,
  };
}
