import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { pauseAfter } from '#shared/back-off.ts';
import type { ReachabilityTarget } from '#shared/helper/protocol.ts';
import type { ReceivedPackets } from '../../system/ports/tunnel-device-port.ts';
import type { TunnelConfiguration } from '../../network/tunnel-configuration.ts';
import { createWake } from '../../wake.ts';

export type Family = 'ipv4' | 'ipv6';

/** The probes to send through a tunnel. */
export interface ProbePlan {
  /** The tunnel's own addresses; packets from these are routed into it in every routing mode. */
  addresses: TunnelConfiguration['addresses'];
  resolvers: readonly string[];
  /** Whether it is a problem if there are none. */
  needsResolver: boolean;
  targets: readonly ReachabilityTarget[];
  /** The largest packet that the tunnel carries, in bytes. */
  mtu: number;
  /** How long the gateway takes to answer, in milliseconds. */
  roundTripMs: number;
}

export interface ProbeFindings {
  /** IP versions that have an address, and of which no packet came back. */
  silent: Family[];
  passing: Family[];
  /** Whether any resolver answered, and any target; true if there was none to ask. */
  resolversAnswer: boolean;
  targetsAnswer: boolean;
}

/**
 * When datagrams are sent, in milliseconds from the beginning: they may be lost, and an engine may not be ready yet.
 */
const sendAt = [0, 200, 800, 1_700];

/** When a tunnel counts as silent, in the same units: in time for all of them to be answered. */
export const probeLimitMs = (roundTripMs: number) => Math.max(3_000, 1_700 + 2 * roundTripMs);

/** How often, and how far apart in milliseconds, the counters are read before anything is sent. */
const baselineReads = 3;
const baselineGapMs = 2;

/** Between two reads of the counters. */
const looking = { firstMs: 5, maxMs: 200 } as const;

/**
 * Anycast addresses of the Port Control Protocol (RFC 7723, RFC 8155 §5), which belong to nobody in particular. Packets
 * to them have a hop limit of 1: they reach only the gateway, whose kernel reports that by ICMP.
 */
const beyondGateway = { ipv4: '192.0.0.9', ipv6: '2001:1::1' } as const satisfies Record<Family, string>;

/** RFC 863: discarded, wherever it arrives. */
const discardPort = 9;
export const dnsPort = 53;

/**
 * Asks for the servers of the root (RFC 1035 §4.1): every resolver knows them, and it reveals nothing about the user.
 */
const dnsQuestion = Buffer.from('574d 0100 0001 0000 0000 0000 00 0002 0001'.replaceAll(' ', ''), 'hex');

/** The same, padded to this many bytes (RFC 6891 §6.1.2, RFC 7830 §3); the answer may have no more than 512. */
export function paddedQuestion(bytes: number): Buffer {
  const optHeader = Buffer.from('00 0029 0200 00000000'.replaceAll(' ', ''), 'hex');
  const padding = Buffer.alloc(bytes - dnsQuestion.length - optHeader.length - 2);
  padding.writeUInt16BE(12, 0);
  padding.writeUInt16BE(padding.length - 4, 2);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(padding.length);
  const message = Buffer.concat([dnsQuestion, optHeader, length, padding]);
  message.writeUInt16BE(1, additionalRecordsAt);
  return message;
}

/** RFC 1035 §4.1.1, ARCOUNT. */
const additionalRecordsAt = 10;

export const familyOf = (address: string): Family => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Provokes answers through the tunnel. Only the kernel's counters tell whether packets of an IP version pass, so
 * nothing that comes back has to be read. Calls `onAllPass` as soon as packets of each version have arrived; resolves
 * when everything has answered or timed out. Rejects only when the signal is aborted.
 */
export async function probeTraffic(
  plan: Omit<ProbePlan, 'mtu'>,
  options: {
    received: () => ReceivedPackets | undefined;
    onAllPass?: () => void;
    signal: AbortSignal;
  },
): Promise<ProbeFindings> {
  options.signal.throwIfAborted();
  const families = (['ipv4', 'ipv6'] as const).filter((family) => plan.addresses[family] !== undefined);
  const before = await countBefore(options.received, options.signal);
  const resolvers = plan.resolvers.filter((resolver) => families.includes(familyOf(resolver)));
  const targets = plan.targets.filter(({ address }) => families.includes(familyOf(address)));
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const found = { passing: [] as Family[], resolver: resolvers.length === 0, target: targets.length === 0 };
  const wake = createWake();

  const look = () => {
    const received = options.received() ?? before;
    const passing = families.filter((family) => received[family] > before[family]);
    if (passing.length === families.length && found.passing.length < passing.length) options.onAllPass?.();
    found.passing = passing;
    return passing.length === families.length && found.resolver && found.target;
  };
  const answered = (kind: 'resolver' | 'target') => () => {
    found[kind] = true;
    wake.call();
  };

  try {
    for (const family of families) {
      const own = plan.addresses[family] ?? '';
      for (const resolver of resolvers.filter((address) => familyOf(address) === family)) {
        askByDatagram({ own, address: resolver, port: dnsPort, signal, onAnswer: answered('resolver') });
      }
      askByDatagram({ own, address: beyondGateway[family], port: discardPort, hopLimit: 1, signal });
      const target = targets.find(({ address }) => familyOf(address) === family);
      if (target) askByConnecting({ own, target, signal, onAnswer: answered('target') });
    }
    let left = probeLimitMs(plan.roundTripMs);
    for (let looks = 1; !look() && left > 0; looks += 1) {
      const asked = performance.now();
      await wake.within(pauseAfter(looks, looking), signal);
      // On a machine that is busy or stood still, what has come is read after that.
      await turn();
      // What took longer was no time in which anything could be sent or read here.
      left -= Math.min(performance.now() - asked, looking.maxMs);
    }
  } finally {
    over.abort();
  }
  return {
    passing: found.passing,
    silent: families.filter((family) => !found.passing.includes(family)),
    resolversAnswer: found.resolver,
    // Targets of a silent IP version give no further information.
    targetsAnswer: found.target || !targets.some(({ address }) => found.passing.includes(familyOf(address))),
  };
}

/**
 * What has been received before anything is sent. One number may be too low for a moment, while a packet of the other
 * version of IP arrives: if it were taken then, the next look would find a packet that had come through. A new device
 * has received nothing, so its numbers are known.
 */
async function countBefore(
  received: () => ReceivedPackets | undefined,
  signal: AbortSignal,
): Promise<ReceivedPackets> {
  const before = { ipv4: 0, ipv6: 0 };
  for (let reads = 0; reads < baselineReads; reads += 1) {
    if (reads > 0) await delay(baselineGapMs, undefined, { signal });
    const { ipv4, ipv6 } = received() ?? before;
    before.ipv4 = Math.max(before.ipv4, ipv4);
    before.ipv6 = Math.max(before.ipv6, ipv6);
    if (before.ipv4 + before.ipv6 === 0) break;
  }
  return before;
}

export interface Asked {
  own: string;
  signal: AbortSignal;
  onAnswer?: () => void;
}

interface Datagram {
  address: string;
  port: number;
  hopLimit?: number;
  message?: Buffer;
  /** Of a socket to send it by, which is closed with that. */
  descriptor?: number;
  /** Whether something that comes back is an answer to it; without this, everything is. */
  isAnswer?: (received: Buffer) => boolean;
}

/** Sends a datagram a few times. Fails silently. */
export function askByDatagram(asked: Asked & Datagram): void {
  const { own, address, port, hopLimit, message = dnsQuestion, descriptor, signal } = asked;
  const socket = createSocket(isIPv6(own) ? 'udp6' : 'udp4');
  const timers: NodeJS.Timeout[] = [];
  const close = () => {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', close);
    socket.close();
  };
  signal.addEventListener('abort', close, { once: true });
  // A missing resolver: ICMP from its machine changes the counters, but is not an answer of a resolver.
  socket.on('error', () => undefined);
  socket.on('message', (received) => {
    if (asked.isAnswer?.(received) ?? true) asked.onAnswer?.();
  });
  socket.bind(descriptor === undefined ? { port: 0, address: own } : { fd: descriptor }, () => {
    if (signal.aborted) return;
    // Connected, so that only its own datagrams count as an answer.
    // Not as a callback of `connect`, which is also called if there is no route; sending would then throw.
    socket.once('connect', () => {
      if (signal.aborted) return;
      if (hopLimit !== undefined) socket.setTTL(hopLimit);
      const send = () => socket.send(message, () => undefined);
      timers.push(...sendAt.map((at) => setTimeout(send, at)));
    });
    socket.connect(port, address);
  });
}

/** Opens a TCP connection and closes it; a refusal by the other end is an answer, too. */
function askByConnecting({ own, target, signal, onAnswer }: Asked & { target: ReachabilityTarget }): void {
  const socket = connect({ host: target.address, port: target.port, localAddress: own });
  const close = () => void socket.destroy();
  signal.addEventListener('abort', close, { once: true });
  socket.once('connect', () => {
    onAnswer?.();
    socket.resetAndDestroy();
  });
  socket.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') onAnswer?.();
  });
  socket.once('close', () => signal.removeEventListener('abort', close));
}
