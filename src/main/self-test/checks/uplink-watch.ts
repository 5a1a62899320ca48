import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { etherType, makeFrame, protocol, readFrame, type Frame } from '../packets/frame.ts';
import type { PacketSocket } from './packet-socket.ts';

/** What leaves the computer by its uplink, as somebody sees it in whom nothing of the product has a hand. */
export interface UplinkWatch {
  /**
   * Everything that the computer has sent since the last time. `complete` is false if some of it may be missing: then
   * nothing can be said about what is not there.
   */
  sent(): Promise<{ frames: Frame[]; complete: boolean }>;
  close(): void;
}

/** How long the last frame may take to come, in milliseconds. */
const lastFrameMs = 3_000;
const lookMs = 20;

/**
 * Two packet sockets: `near` at the computer's own end of the wire, `far` at the other one, or, where nobody has that,
 * at the same end. `from`: the computer's hardware address.
 */
export function watchUplink(options: { near: PacketSocket; far: PacketSocket; from: string }): UplinkWatch {
  const { near, far, from } = options;
  const seen: Frame[] = [];
  const take = () => {
    for (let bytes = far.next(); bytes; bytes = far.next()) {
      const frame = readFrame(bytes);
      if (frame?.from === from) seen.push(frame);
    }
    // Nobody looks at these, but they must not fill the memory.
    while (near.next());
  };
  const timer = setInterval(take, lookMs);
  return {
    async sent() {
      // The wire keeps the order: once this has come, everything before it has.
      const token = randomBytes(16);
      near.send(makeFrame({ from, to: 'ffffffffffff', type: etherType.sentinel }, token));
      const isToken = ({ type, content }: Frame) =>
        type === etherType.sentinel && content.subarray(0, token.length).equals(token);
      const giveUpAt = performance.now() + lastFrameMs;
      let at = -1;
      while (at < 0 && performance.now() < giveUpAt) {
        take();
        at = seen.findIndex(isToken);
        if (at < 0) await delay(5);
      }
      const frames = seen.splice(0, at < 0 ? seen.length : at + 1);
      return {
        frames: frames.filter(({ type }) => type !== etherType.sentinel),
        complete: at >= 0 && far.lost() === 0,
      };
    },
    close() {
      clearInterval(timer);
      near.close();
      far.close();
    },
  };
}

/** Neighbour discovery and multicast listener messages (RFC 4861 §4, RFC 3810 §5), which no router passes on. */
const linkMessages = new Set([130, 131, 132, 133, 134, 135, 136, 137, 143]);

/** Ports of DHCP's servers, by either version of IP. */
const leaseServers = new Set([67, 547]);

export interface Allowed {
  /** Addresses and a port of the gateway, by TCP and UDP. */
  gateway: { addresses: readonly string[]; port: number };
  /**
   * Whether an address may be renewed (RFC 2131, RFC 8415), as every helper lets the system do on the network itself.
   */
  leases?: boolean;
}

/** The frames that must not have left, with what is allowed. */
export function leaksIn(frames: readonly Frame[], { gateway, leases = false }: Allowed): Frame[] {
  return frames.filter(({ packet }) => {
    if (!packet) return false;
    if (leases && packet.protocol === protocol.udp && leaseServers.has(packet.destinationPort)) return false;
    if (packet.protocol === protocol.icmpv6 && linkMessages.has(packet.payload[0] ?? 0)) return false;
    return !(gateway.addresses.includes(packet.destination) && packet.destinationPort === gateway.port);
  });
}

const protocolNames: Readonly<Record<number, string>> = { 1: 'ICMP', 6: 'TCP', 17: 'UDP', 58: 'ICMPv6' };

/** A frame in a few words, for people who look for the cause. */
export function describeFrame({ packet, type }: Frame): string {
  if (!packet) return `frame of type ${type.toString(16)}`;
  const name = protocolNames[packet.protocol] ?? `protocol ${packet.protocol}`;
  const place = (address: string, port: number) => (port === 0 ? address : `${address} port ${port}`);
  return `${name} from ${place(packet.source, packet.sourcePort)} to ${place(packet.destination, packet.destinationPort)}`;
}
