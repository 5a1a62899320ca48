import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { names, ports } from '../addresses.ts';
import { dnsQuery } from '../dns-answer.ts';
import { protocol, type Frame } from '../packets/frame.ts';
import type { IpVersion } from '../verdict.ts';
import type { Computer, Host, Surroundings } from './surroundings.ts';

/** By what it is sent. */
export type Way = 'UDP' | 'DNS' | 'TCP' | 'ping';

/** A packet that a program might send, and by which it is recognised on a wire. */
export interface Probe {
  readonly name: string;
  readonly way: Way;
  readonly ipVersion: IpVersion;
  /** Whether it goes on by itself once it was sent, until it is closed. */
  readonly isRepeated: boolean;
  /** Sends it; false if the system refuses. */
  send(): boolean;
  isIn(frame: Frame): boolean;
  close(): void;
}

/** What programs send: ordinarily, by IPv6, to resolvers of others, and by sockets that are bound to the uplink. */
export const probeClasses = ['plain', 'ipv6', 'dns', 'bound'] as const;
export type ProbeClass = (typeof probeClasses)[number];

let lastPort = 20_000;
/** Nothing else uses these. */
const nextPort = () => (lastPort += 1);

/** The probes of a class, made now; `token` is a text that nothing else contains. */
export function makeProbes(
  kind: ProbeClass,
  token: string,
  around: Pick<Surroundings, 'computer' | 'places' | 'hasIpv6Outside'>,
): Probe[] {
  const { computer, places, hasIpv6Outside } = around;
  const { host, resolver, router } = places;
  const v6 = (...probes: readonly (() => Probe)[]) => (hasIpv6Outside ? probes.map((make) => make()) : []);
  const datagram = (to: string, isBound = false) =>
    datagrams(computer, { host: to, port: ports.echo, token, isBound });
  const lookUp = (to: string, isBound = false) =>
    lookUps(computer, { host: to, port: ports.dns, token, isBound });
  const segment = (to: string, port = nextPort(), isBound = false) =>
    segments(computer, { host: to, port, isBound });
  const ping = (to: string, isBound = false) => pings(computer, { host: to, token, isBound });
  switch (kind) {
    case 'plain':
      return [datagram(host.ipv4), segment(host.ipv4), ping(host.ipv4)];
    case 'ipv6':
      return v6(
        () => datagram(host.ipv6),
        () => segment(host.ipv6),
        () => ping(host.ipv6),
      );
    case 'dns':
      return [
        lookUp(resolver.ipv4),
        lookUp(router),
        segment(resolver.ipv4, ports.dns),
        segment(resolver.ipv4, ports.dnsOverTls),
        ...v6(() => lookUp(resolver.ipv6)),
      ];
    case 'bound':
      return [
        datagram(host.ipv4, true),
        segment(host.ipv4, nextPort(), true),
        ping(host.ipv4, true),
        lookUp(resolver.ipv4, true),
        ...v6(
          () => datagram(host.ipv6, true),
          () => segment(host.ipv6, nextPort(), true),
        ),
      ];
    default:
      return kind satisfies never;
  }
}

export const ipVersionOf = (host: string): IpVersion => (host.includes(':') ? 'ipv6' : 'ipv4');

const bound = (isBound: boolean) => (isBound ? ' (bound to the uplink)' : '');

interface Wanted extends Host {
  token: string;
  isBound: boolean;
}

function datagrams(computer: Computer, { host, port, token, isBound }: Wanted): Probe {
  return {
    name: `UDP to ${host}${bound(isBound)}`,
    way: 'UDP',
    ipVersion: ipVersionOf(host),
    isRepeated: false,
    ...computer.datagrams({ host, port, isBound, bytes: Buffer.from(token) }),
    isIn: ({ packet }) => packet?.destination === host && packet.payload.includes(token),
  };
}

function lookUps(computer: Computer, { host, port, token, isBound }: Wanted): Probe {
  const query = dnsQuery(`${token}.${names.probes}`, 0x574d);
  return {
    name: `DNS to ${host}${bound(isBound)}`,
    way: 'DNS',
    ipVersion: ipVersionOf(host),
    isRepeated: false,
    ...computer.datagrams({ host, port, isBound, bytes: query }),
    isIn: ({ packet }) => packet?.destination === host && packet.payload.includes(token),
  };
}

/** The beginning of a TCP connection. Each attempt is a new socket, and what is unanswered goes on by itself. */
function segments(computer: Computer, { host, port, isBound }: Omit<Wanted, 'token'>): Probe {
  return {
    name: `TCP to ${host} port ${port}${bound(isBound)}`,
    way: 'TCP',
    ipVersion: ipVersionOf(host),
    isRepeated: true,
    ...computer.connections({ host, port, isBound }),
    isIn: ({ packet }) =>
      packet?.destination === host && packet.protocol === protocol.tcp && packet.destinationPort === port,
  };
}

function pings(computer: Computer, { host, token, isBound }: Omit<Wanted, 'port'>): Probe {
  const { send, close, isIn } = computer.pings({ host, token, isBound });
  return {
    name: `ping to ${host}${bound(isBound)}`,
    way: 'ping',
    ipVersion: ipVersionOf(host),
    isRepeated: false,
    send,
    close,
    isIn: ({ packet }) => packet?.destination === host && isIn(packet),
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
  { host, port }: Host,
  token: string,
  options: { limitMs?: number } = {},
): Promise<{ place: string; from: string } | undefined> =>
  answered(
    (signal) =>
      new Promise((resolve) => {
        const socket = connect({ host, port });
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
export async function isPinged(computer: Computer, host: string, token: string): Promise<boolean> {
  const socket = computer.pings({ host, token, isBound: false });
  try {
    const giveUpAt = performance.now() + answerMs;
    for (let looked = 0; performance.now() < giveUpAt; looked += 1) {
      if (looked % 25 === 0) socket.send();
      if (socket.isAnswered()) return true;
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
    // A connection is attempted once; the kernel repeats it.
    for (const probe of probes) if (!probe.isRepeated) probe.send();
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
