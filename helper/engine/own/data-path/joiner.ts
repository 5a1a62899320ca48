import type { Arena } from './arena.ts';
import { fold, sumOf, swapped, without } from './checksum.ts';
import { tcpChecksum, virtio, virtioBytes } from './virtio-header.ts';

/**
 * Joins segments of TCP that follow each other, as network cards and the kernel do (Linux, net/ipv4/tcp_offload.c,
 * tcp_gro_receive): the system then handles one large packet instead of many. Only what the kernel would cut into the
 * same segments again is joined, after its checksums have been verified, because nobody verifies them later.
 */
export interface Joiner {
  /** Takes a packet, in front of which ten bytes may be overwritten. What is ready is given to `write`. */
  add(packet: number, length: number): void;
  /** Gives all that wait. */
  flush(): void;
}

/** `write` gets packets with a virtio header in front; the bytes are free again when it returns. */
export type WritePacket = (at: number, length: number) => void;

const joinedBytes = 65_535;
const slotCount = 8;
const tcp = 6;
const udp = 17;
const icmpv6 = 58;
const acknowledgement = 0x10;
const push = 0x08;
/** DF alone: no fragment, and the packet's number means nothing (RFC 6864 §4.1). */
const wholeIpv4 = 0x4000;

/** A packet that grows. */
interface Slot {
  /** The place of its virtio header. */
  readonly at: number;
  count: number;
  length: number;
  ipBytes: number;
  headerBytes: number;
  segment: number;
  nextSequence: number;
}

export function createJoiner(arena: Arena, write: WritePacket): Joiner {
  const { bytes, view } = arena;
  const slots: Slot[] = Array.from({ length: slotCount }, () => ({
    at: arena.take(virtioBytes + joinedBytes),
    count: 0,
    length: 0,
    ipBytes: 0,
    headerBytes: 0,
    segment: 0,
    nextSequence: 0,
  }));
  /** How many slots hold something, and which one is next to make room. */
  let used = 0;
  let turn = 0;

  function alone(packet: number, length: number): void {
    bytes.fill(0, packet - virtioBytes, packet);
    write(packet - virtioBytes, virtioBytes + length);
  }

  function give(slot: Slot): void {
    const { at, count, length, ipBytes, headerBytes, segment } = slot;
    const packet = at + virtioBytes;
    slot.count = 0;
    used -= 1;
    bytes.fill(0, at, packet);
    if (count > 1) {
      const isIpv4 = ipBytes === 20;
      if (isIpv4) {
        view.setUint16(packet + 2, length);
        view.setUint16(packet + 10, 0);
        view.setUint16(packet + 10, without(sumOf(view, packet, ipBytes)), true);
      } else {
        view.setUint16(packet + 4, length - ipBytes);
      }
      view.setUint16(packet + ipBytes + tcpChecksum, pseudoSum(packet, ipBytes, length), true);
      view.setUint8(at + virtio.flags, virtio.needsChecksum);
      view.setUint8(at + virtio.kind, isIpv4 ? virtio.tcp4 : virtio.tcp6);
      view.setUint16(at + virtio.headerLength, headerBytes, true);
      view.setUint16(at + virtio.segment, segment, true);
      view.setUint16(at + virtio.checksumStart, ipBytes, true);
      view.setUint16(at + virtio.checksumOffset, tcpChecksum, true);
    }
    write(at, virtioBytes + length);
  }

  function pseudoSum(packet: number, ipBytes: number, length: number): number {
    const addresses = ipBytes === 20 ? sumOf(view, packet + 12, 8) : sumOf(view, packet + 8, 32);
    return fold(addresses + swapped(tcp) + swapped(length - ipBytes));
  }

  /** The length of its IP header if it is a whole packet of TCP without anything between, or 0. */
  function ipHeaderOf(packet: number, length: number): 0 | 20 | 40 {
    if (length < 40) return 0;
    const first = view.getUint8(packet);
    if (first === 0x45)
      return view.getUint8(packet + 9) === tcp &&
        view.getUint16(packet + 2) === length &&
        view.getUint16(packet + 6) === wholeIpv4
        ? 20
        : 0;
    return first >> 4 === 6 &&
      length >= 60 &&
      view.getUint8(packet + 6) === tcp &&
      view.getUint16(packet + 4) === length - 40
      ? 40
      : 0;
  }

  function mayBeTcp(packet: number, length: number): boolean {
    if (length < 20) return false;
    if (view.getUint8(packet) >> 4 === 4) return view.getUint8(packet + 9) === tcp;
    const next = view.getUint8(packet + 6);
    return next !== udp && next !== icmpv6;
  }

  function isGenuine(packet: number, length: number, ipBytes: number): boolean {
    if (ipBytes === 20 && sumOf(view, packet, 20) !== 0xffff) return false;
    const sum = sumOf(view, packet + ipBytes, length - ipBytes) + pseudoSum(packet, ipBytes, length);
    return fold(sum) === 0xffff;
  }

  /** Whether both are of the same connection. */
  function isSameFlow(slot: Slot, packet: number, ipBytes: number): boolean {
    const own = slot.at + virtioBytes;
    if (slot.ipBytes !== ipBytes) return false;
    if (view.getInt32(own + ipBytes) !== view.getInt32(packet + ipBytes)) return false;
    const begin = ipBytes === 20 ? 12 : 8;
    for (let at = begin; at < ipBytes; at += 4)
      if (view.getInt32(own + at) !== view.getInt32(packet + at)) return false;
    return true;
  }

  /** Whether it continues what is in the slot, and could be cut off again. */
  function continues(slot: Slot, packet: number, ipBytes: number, headerBytes: number): boolean {
    const own = slot.at + virtioBytes;
    if (slot.headerBytes !== headerBytes) return false;
    const isSameIp =
      ipBytes === 20
        ? // The type of service, and the time to live.
          view.getUint8(own + 1) === view.getUint8(packet + 1) &&
          view.getUint8(own + 8) === view.getUint8(packet + 8)
        : // Class and flow, and the hop limit.
          view.getInt32(own) === view.getInt32(packet) &&
          view.getUint8(own + 7) === view.getUint8(packet + 7);
    if (!isSameIp) return false;
    const [ours, theirs] = [own + ipBytes, packet + ipBytes];
    if (view.getUint32(theirs + 4) !== slot.nextSequence) return false;
    if (view.getInt32(ours + 8) !== view.getInt32(theirs + 8)) return false;
    // The reserved bits, of which one is ECN's (RFC 3540, RFC 9768).
    if (view.getUint8(ours + 12) !== view.getUint8(theirs + 12)) return false;
    for (let at = 20; at < headerBytes - ipBytes; at += 4)
      if (view.getInt32(ours + at) !== view.getInt32(theirs + at)) return false;
    return true;
  }

  return {
    add(packet, length) {
      const ipBytes = ipHeaderOf(packet, length);
      if (ipBytes === 0) {
        // A fragment may be of any connection.
        if (used > 0 && mayBeTcp(packet, length)) flush();
        return alone(packet, length);
      }
      const slot =
        used === 0 ? undefined : slots.find((one) => one.count > 0 && isSameFlow(one, packet, ipBytes));
      const transport = packet + ipBytes;
      const headerBytes = ipBytes + (view.getUint8(transport + 12) >> 4) * 4;
      const flags = view.getUint8(transport + 13);
      const payload = length - headerBytes;
      const isPlain = headerBytes >= ipBytes + 20 && payload > 0 && (flags & ~push) === acknowledgement;
      if (!isPlain || !isGenuine(packet, length, ipBytes)) {
        if (slot) give(slot);
        return alone(packet, length);
      }
      const isFull = slot !== undefined && (payload > slot.segment || slot.length + payload > joinedBytes);
      if (slot && !isFull && continues(slot, packet, ipBytes, headerBytes)) {
        const own = slot.at + virtioBytes;
        bytes.copyWithin(own + slot.length, packet + headerBytes, packet + length);
        slot.length += payload;
        slot.count += 1;
        slot.nextSequence = (slot.nextSequence + payload) >>> 0;
        view.setUint8(own + ipBytes + 13, flags);
        // The newest window.
        view.setUint16(own + ipBytes + 14, view.getUint16(transport + 14));
        if (payload < slot.segment || (flags & push) !== 0) give(slot);
        return;
      }
      if (slot) give(slot);
      // It would be given at once.
      if ((flags & push) !== 0) return alone(packet, length);
      const free = slots.find((one) => one.count === 0) ?? makeRoom();
      bytes.copyWithin(free.at + virtioBytes, packet, packet + length);
      free.count = 1;
      free.length = length;
      free.ipBytes = ipBytes;
      free.headerBytes = headerBytes;
      free.segment = payload;
      free.nextSequence = (view.getUint32(transport + 4) + payload) >>> 0;
      used += 1;
    },
    flush,
  };

  function makeRoom(): Slot {
    turn = (turn + 1) % slotCount;
    const slot = slots[turn] as Slot;
    give(slot);
    return slot;
  }

  function flush(): void {
    if (used === 0) return;
    for (const slot of slots) if (slot.count > 0) give(slot);
  }
}
