import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { addresses, names, ports } from '../addresses.ts';
import { dnsQuery } from '../dns-answer.ts';
import { checksum, protocol, type Frame } from '../packets/frame.ts';
import { openSocket, type RawSocket } from '../linux/system-calls.ts';
import { devices } from '../linux/world.ts';

/** A packet that a program might send, and by which it is recognised on a wire. */
export interface Probe {
  readonly name: string;
  /** Sends it again and again as long as it is open; false if the kernel refuses. */
  send(): boolean;
  isIn(frame: Frame): boolean;
  close(): void;
}

/** What programs send: ordinarily, by IPv6, to resolvers of others, and by sockets that are bound to the uplink. */
export const probeClasses = ['plain', 'ipv6', 'dns', 'bound'] as const;
export type ProbeClass = (typeof probeClasses)[number];

let lastPort = 20_000;
/** Nothing else in this network uses these. */
const nextPort = () => (lastPort += 1);

/** The probes of a class, made now; `token` is a text that nothing else contains. */
export function makeProbes(kind: ProbeClass, token: string, hasIpv6: boolean): Probe[] {
  const { host, resolver, router } = addresses;
  const v6 = (...probes: readonly (() => Probe)[]) => (hasIpv6 ? probes.map((make) => make()) : []);
  switch (kind) {
    case 'plain':
      return [datagram(host.ipv4, token), segment(host.ipv4), ping(host.ipv4, token)];
    case 'ipv6':
      return v6(
        () => datagram(host.ipv6, token),
        () => segment(host.ipv6),
        () => ping(host.ipv6, token),
      );
    case 'dns':
      return [
        lookUp(resolver.ipv4, token),
        lookUp(router.ipv4, token),
        segment(resolver.ipv4, ports.dns),
        segment(resolver.ipv4, ports.dnsOverTls),
        ...v6(() => lookUp(resolver.ipv6, token)),
      ];
    case 'bound':
      return [
        datagram(host.ipv4, token, devices.uplink),
        segment(host.ipv4, nextPort(), devices.uplink),
        ping(host.ipv4, token, devices.uplink),
        lookUp(resolver.ipv4, token, devices.uplink),
        ...v6(
          () => datagram(host.ipv6, token, devices.uplink),
          () => segment(host.ipv6, nextPort(), devices.uplink),
        ),
      ];
    default:
      return kind satisfies never;
  }
}

const bound = (device: string | undefined) => (device === undefined ? '' : ' (bound to the uplink)');

function datagram(host: string, token: string, device?: string): Probe {
  const socket = openSocket({ host, type: 'datagram', device });
  return {
    name: `UDP to ${host}${bound(device)}`,
    send: () => socket.send(Buffer.from(token), host, ports.echo),
    isIn: ({ packet }) => packet?.destination === host && packet.payload.includes(token),
    close: () => socket.close(),
  };
}

function lookUp(resolver: string, token: string, device?: string): Probe {
  const socket = openSocket({ host: resolver, type: 'datagram', device });
  const query = dnsQuery(`${token}.${names.probes}`, 0x574d);
  return {
    name: `DNS to ${resolver}${bound(device)}`,
    send: () => socket.send(query, resolver, ports.dns),
    isIn: ({ packet }) => packet?.destination === resolver && packet.payload.includes(token),
    close: () => socket.close(),
  };
}

/** The beginning of a TCP connection. Each attempt is a new socket, and what is unanswered goes on by itself. */
function segment(host: string, port = nextPort(), device?: string): Probe {
  const sockets: RawSocket[] = [];
  return {
    name: `TCP to ${host} port ${port}${bound(device)}`,
    send() {
      const socket = openSocket({ host, type: 'stream', device });
      sockets.push(socket);
      return socket.connect(host, port);
    },
    isIn: ({ packet }) =>
      packet?.destination === host && packet.protocol === protocol.tcp && packet.destinationPort === port,
    close() {
      for (const socket of sockets.splice(0)) socket.close();
    },
  };
}

const echoRequest = { ipv4: 8, ipv6: 128 } as const;

/** The text of a ping, with its header. Of IPv6, the kernel makes the checksum (RFC 3542 §3.1). */
function pingMessage(host: string, token: string): Buffer {
  const isV6 = host.includes(':');
  const head = Buffer.alloc(8);
  head[0] = isV6 ? echoRequest.ipv6 : echoRequest.ipv4;
  head.writeUInt16BE(0x574d, 4);
  const message = Buffer.concat([head, Buffer.from(token)]);
  if (!isV6) message.writeUInt16BE(checksum(message), 2);
  return message;
}

function openPingSocket(host: string, device?: string): RawSocket {
  const kind = host.includes(':') ? protocol.icmpv6 : protocol.icmp;
  return openSocket({ host, type: 'raw', protocol: kind, device });
}

function ping(host: string, token: string, device?: string): Probe {
  const socket = openPingSocket(host, device);
  const message = pingMessage(host, token);
  return {
    name: `ping to ${host}${bound(device)}`,
    send: () => socket.send(message, host, 0),
    isIn: ({ packet }) => packet?.destination === host && packet.payload.includes(token),
    close: () => socket.close(),
  };
}

/** How long somebody may take to answer who is a few hundred kilometres of wire away at most, in milliseconds. */
const answerMs = 5_000;
const repeatMs = 250;

/** Repeats `attempt` until it has an answer, or nobody is expected to answer any more. */
async function answered<Answer>(
  attempt: (signal: AbortSignal) => Promise<Answer | undefined>,
  limitMs: number,
): Promise<Answer | undefined> {
  const limit = AbortSignal.timeout(limitMs);
  while (!limit.aborted) {
    const answer = await attempt(limit);
    if (answer !== undefined) return answer;
    await delay(repeatMs, undefined, { signal: limit }).catch(() => undefined);
  }
  return undefined;
}

/** What a host says by TCP: the place where it is, and whom it has seen. */
export const askByTcp = (
  host: string,
  token: string,
  options: { limitMs?: number } = {},
): Promise<{ place: string; from: string } | undefined> =>
  answered(
    (signal) =>
      new Promise((resolve) => {
        const socket = connect({ host, port: ports.http });
        let text = '';
        const end = () => {
          signal.removeEventListener('abort', end);
          socket.destroy();
          const [place, from] = text.trim().split(' ');
          resolve(place && from !== undefined ? { place, from } : undefined);
        };
        signal.addEventListener('abort', end, { once: true });
        socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        socket.on('error', end).on('close', end);
        socket.write(`${token}\n`);
      }),
    options.limitMs ?? answerMs,
  );

/** The place that answers a datagram. */
export const askByUdp = (host: string, token: string): Promise<string | undefined> =>
  answered((signal) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    return new Promise<string | undefined>((resolve) => {
      const end = (place: string | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', silent);
        socket.close();
        resolve(place);
      };
      const silent = () => end(undefined);
      const timer = setTimeout(silent, repeatMs);
      signal.addEventListener('abort', silent, { once: true });
      socket.on('message', (message) => end(message.toString().split(' ')[0]));
      socket.on('error', silent);
      socket.send(token, ports.echo, host);
    });
  }, answerMs);

/** Whether a ping is answered. */
export async function isPinged(host: string, token: string): Promise<boolean> {
  const socket = openPingSocket(host);
  const message = pingMessage(host, token);
  const reply = host.includes(':') ? 129 : 0;
  const isReply = (bytes: Buffer) =>
    bytes.includes(token) && (host.includes(':') ? bytes[0] : bytes[((bytes[0] ?? 0) & 0x0f) * 4]) === reply;
  try {
    const giveUpAt = performance.now() + answerMs;
    for (let sent = 0; performance.now() < giveUpAt; sent += 1) {
      if (sent % 25 === 0) socket.send(message, host, 0);
      for (let bytes = socket.receive(); bytes; bytes = socket.receive()) if (isReply(bytes)) return true;
      await delay(10);
    }
    return false;
  } finally {
    socket.close();
  }
}

/** A pump of probes: all of them every few milliseconds, until it is ended. */
export function pump(probes: readonly Probe[], milliseconds = 40): { end(): void } {
  const send = () => {
    for (const probe of probes) {
      // A connection is attempted once; the kernel repeats it.
      if (probe.name.startsWith('TCP')) continue;
      probe.send();
    }
  };
  for (const probe of probes) probe.send();
  const timer = setInterval(send, milliseconds);
  return {
    end() {
      clearInterval(timer);
      for (const probe of probes) probe.close();
    },
  };
}
