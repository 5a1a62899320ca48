import { randomBytes, randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { addresses, names } from '../addresses.ts';
import type { PacketSocket } from '../checks/packet-socket.ts';
import { neighbourProbes, sendToComputer } from '../checks/neighbour-probes.ts';
import { makeCertificate } from '../gateway/certificate.ts';
import { createGateway } from '../gateway/gateway.ts';
import { createInsideNetwork } from '../hosts/inside-network.ts';
import { serveHost } from '../hosts/serve-host.ts';
import { readFrame } from '../packets/frame.ts';
import { createService } from '../service.ts';
import { isPrivateAddress } from './is-private-address.ts';
import { servedPorts, type Answer, type Question } from './questions.ts';

/** All that one self-test meets on the computer that serves, at one of its addresses. */
export interface ServedSession {
  answer(question: Exclude<Question, { ask: 'begin' | 'end' }>): Promise<object>;
  readonly facts: Answer<'begin'>;
  close(): void;
}

export interface ServedSessionOptions {
  /** Of this computer, by which the other one has reached it. */
  address: string;
  version: string;
  /** Opens a device for whole frames; throws if the system or its user's rights do not allow that. */
  openPacketSocket: (device: string) => PacketSocket;
  /** Answers a question that has come through the tunnel. */
  onAsk: (question: Buffer) => Promise<Buffer | undefined>;
}

/** Fits into a tunnel by DTLS over Ethernet, also with IPv6 or PPPoE, in bytes. */
const tunnelMtu = 1_300;
/** How long an answer may take to come back from a computer of the same network. */
const answersMs = 100;

/** Begins to serve. Rejects if a port is in use. */
export async function openServedSession(options: ServedSessionOptions): Promise<ServedSession> {
  const { address } = options;
  const closing: (() => void)[] = [];
  const close = () => {
    for (const one of closing.splice(0).toReversed()) one();
  };
  const heard = { inside: [] as string[], outside: [] as string[] };
  const credentials = { username: 'self-test', password: randomBytes(12).toString('hex') };
  const account = {
    email: 'self-test@self-test.test',
    code: String(randomInt(100_000, 1_000_000)),
    token: randomBytes(24).toString('hex'),
  };
  const certificate = makeCertificate(address, Date.now());
  const inside = createInsideNetwork({
    send: (packet) => gateway.send(packet),
    heard: heard.inside,
    onAsk: options.onAsk,
  });
  const gateway = createGateway({
    certificate,
    credentials,
    port: servedPorts.gateway,
    pushed: {
      addresses: addresses.tunnel,
      resolvers: Object.values(addresses.tunnelResolver),
      mtu: tunnelMtu,
    },
    onPacket: (packet) => inside.receive(packet),
  });
  const service = createService({
    ...account,
    routeDomains: [names.where],
    gateway: { domain: address, port: servedPorts.gateway, ...credentials },
  });
  const neighbour = otherLocalAddress(address);
  const wire = openWire(address, options.openPacketSocket);
  closing.push(
    () => gateway.close(),
    () => service.close(),
    () => wire?.close(),
  );
  try {
    await gateway.listen(address);
    await service.listen(address, servedPorts.service, certificate);
    // What is sent to the gateway's own address can be routed otherwise than to its neighbours.
    for (const host of [address, ...(neighbour === undefined ? [] : [neighbour])])
      closing.push(
        ...(await serveHost({
          host,
          port: servedPorts.neighbour,
          echoPort: servedPorts.neighbour,
          place: 'outside',
          heard: heard.outside,
        })),
      );
  } catch (error) {
    close();
    throw error;
  }

  return {
    facts: {
      version: options.version,
      email: account.email,
      code: account.code,
      authority: certificate.certificate,
      neighbour: neighbour ?? null,
      canAskAsNeighbour: wire !== undefined,
    },
    async answer(question) {
      switch (question.ask) {
        case 'counts':
          return gateway.counts();
        case 'heard':
          return {
            texts: heard[question.place].filter((text) => text.includes(question.token)).slice(0, 8),
          };
        case 'away':
          setTimeout(() => gateway.setDeaf(true), question.afterMs).unref();
          setTimeout(() => gateway.setDeaf(false), question.afterMs + question.forMs).unref();
          return {};
        case 'neighbour':
          return wire ? await wire.ask(question) : { tried: [], answered: [] };
        default:
          return question satisfies never;
      }
    },
    close,
  };
}

/** The device with an address, with all that it has. */
const deviceWith = (address: string) =>
  Object.entries(networkInterfaces()).find(([, found = []]) => found.some((one) => one.address === address));

const otherLocalAddress = (address: string): string | undefined =>
  deviceWith(address)?.[1]?.find((one) => one.address !== address && isPrivateAddress(one.address))?.address;

interface Wire {
  ask(question: Extract<Question, { ask: 'neighbour' }>): Promise<Answer<'neighbour'>>;
  close(): void;
}

/** The device with an address, as whoever attacks from the same network would use it; undefined if it cannot be had. */
function openWire(address: string, open: (device: string) => PacketSocket): Wire | undefined {
  const [device, all = []] = deviceWith(address) ?? [];
  const [first] = all;
  if (device === undefined || !first || first.internal) return undefined;
  let socket: PacketSocket;
  try {
    socket = open(device);
  } catch {
    return undefined;
  }
  const ownIpv4 = all.find(({ family }) => family === 'IPv4')?.address;
  return {
    async ask({ hardware, ipv4, ipv6 }) {
      if (ownIpv4 === undefined) return { tried: [], answered: [] };
      const probes = neighbourProbes(
        { ipv4, ipv6 },
        {
          computer: hardware,
          neighbour: first.mac.replaceAll(':', ''),
          from: { ipv4: ownIpv4, ipv6: all.find(({ family }) => family === 'IPv6')?.address },
        },
      );
      // What has come before is no answer.
      while (socket.next());
      await sendToComputer(socket, probes);
      await delay(answersMs);
      const answered = new Set<string>();
      for (let bytes = socket.next(); bytes; bytes = socket.next()) {
        const frame = readFrame(bytes);
        if (frame?.from !== hardware) continue;
        for (const { name, isAnswer } of probes) if (isAnswer(frame)) answered.add(name);
      }
      return { tried: probes.map(({ name }) => name), answered: [...answered] };
    },
    close: () => socket.close(),
  };
}
