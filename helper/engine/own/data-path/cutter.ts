import { fold, sumOf, swapped, without } from './checksum.ts';
import { tcpChecksum, udpChecksum, virtio, virtioBytes } from './virtio-header.ts';

/**
 * Makes packets of what a device with offload gives: one of up to 64 KB whose payload is to be cut, or one without its
 * checksum. As the kernel does it (Documentation/networking/segmentation-offloads.rst), every field that differs from
 * packet to packet is written anew.
 */
export interface Cutter {
  /** Takes `length` bytes at `at`, with the virtio header. False for what cannot be cut. */
  begin(at: number, length: number): boolean;
  /** The longest of the packets, in bytes. */
  readonly largest: number;
  /** Writes the next packet at `to`; its length, or 0 after the last. */
  next(to: number): number;
}

const fin = 0x01;
const push = 0x08;
const cwr = 0x80;

interface Parts {
  /** Where the packet begins, and its length. */
  packet: number;
  length: number;
  isIpv4: boolean;
  isTcp: boolean;
  /** Lengths of all headers up to that of TCP or UDP, and with it. */
  ipBytes: number;
  headerBytes: number;
  segment: number;
  /** Sums of what the headers of all segments share. */
  ipSum: number;
  transportSum: number;
  id: number;
  sequence: number;
  flags: number;
}

export function createCutter(bytes: Uint8Array, view: DataView): Cutter {
  const parts: Parts = {
    packet: 0,
    length: 0,
    isIpv4: true,
    isTcp: true,
    ipBytes: 0,
    headerBytes: 0,
    segment: 0,
    ipSum: 0,
    transportSum: 0,
    id: 0,
    sequence: 0,
    flags: 0,
  };
  /** How much of the payload, or of a packet that is not cut, has been given; and how many packets. */
  let given = 0;
  let count = 0;

  /** Completes one that is whole but for its checksum. */
  function complete(packet: number, length: number, header: number): boolean {
    if ((view.getUint8(header + virtio.flags) & virtio.needsChecksum) === 0) return true;
    const start = view.getUint16(header + virtio.checksumStart, true);
    const offset = view.getUint16(header + virtio.checksumOffset, true);
    if (start + offset + 2 > length) return false;
    const checksum = without(sumOf(view, packet + start, length - start));
    // UDP has no checksum that is 0 (RFC 768).
    view.setUint16(
      packet + start + offset,
      checksum === 0 && offset === udpChecksum ? 0xffff : checksum,
      true,
    );
    return true;
  }

  function cuts(header: number, kind: number): boolean {
    const { packet, length } = parts;
    const isIpv4 = view.getUint8(packet) >> 4 === 4;
    const isTcp = kind !== virtio.udp;
    const isKnown = kind === virtio.udp || kind === (isIpv4 ? virtio.tcp4 : virtio.tcp6);
    const hasChecksum = (view.getUint8(header + virtio.flags) & virtio.needsChecksum) !== 0;
    // The kernel has told where the transport's header is, whatever headers are before it.
    const ipBytes = view.getUint16(header + virtio.checksumStart, true);
    const offset = view.getUint16(header + virtio.checksumOffset, true);
    const leastIp = isIpv4 ? (view.getUint8(packet) & 15) * 4 : 40;
    const leastTransport = isTcp ? 20 : 8;
    if (!isKnown || !hasChecksum || ipBytes < leastIp || leastIp < 20) return false;
    if (offset !== (isTcp ? tcpChecksum : udpChecksum) || ipBytes + leastTransport > length) return false;
    const transport = packet + ipBytes;
    const transportBytes = isTcp ? (view.getUint8(transport + 12) >> 4) * 4 : 8;
    const segment = view.getUint16(header + virtio.segment, true);
    const headerBytes = ipBytes + transportBytes;
    if (transportBytes < leastTransport || headerBytes >= length || segment === 0) return false;

    parts.isIpv4 = isIpv4;
    parts.isTcp = isTcp;
    parts.ipBytes = ipBytes;
    parts.headerBytes = headerBytes;
    parts.segment = segment;
    // The field holds the sum of the pseudo header, with the length of the whole.
    const pseudo = view.getUint16(transport + offset, true);
    view.setUint16(transport + offset, 0);
    if (isIpv4) {
      parts.id = view.getUint16(packet + 4);
      view.setUint16(packet + 2, 0);
      view.setUint16(packet + 4, 0);
      view.setUint16(packet + 10, 0);
      parts.ipSum = sumOf(view, packet, leastIp);
    }
    if (isTcp) {
      parts.sequence = view.getUint32(transport + 4);
      parts.flags = view.getUint8(transport + 13);
      view.setUint32(transport + 4, 0);
      view.setUint8(transport + 13, 0);
    } else {
      view.setUint16(transport + 4, 0);
    }
    const wholeLength = length - ipBytes;
    parts.transportSum = fold(
      sumOf(view, transport, transportBytes) + pseudo + without(swapped(wholeLength)),
    );
    return true;
  }

  const cutter = {
    largest: 0,
    begin(at: number, length: number) {
      given = 0;
      count = 0;
      parts.packet = at + virtioBytes;
      parts.length = length - virtioBytes;
      if (parts.length < 20) return false;
      const kind = view.getUint8(at + virtio.kind) & ~virtio.ecn;
      if (kind === virtio.none) {
        parts.segment = 0;
        cutter.largest = parts.length;
        return complete(parts.packet, parts.length, at);
      }
      if (!cuts(at, kind)) return false;
      cutter.largest = Math.min(parts.length, parts.headerBytes + parts.segment);
      return true;
    },
    next(to: number) {
      const { packet, length, headerBytes, ipBytes, segment, isIpv4, isTcp } = parts;
      if (segment === 0) {
        if (given > 0) return 0;
        given = length;
        bytes.copyWithin(to, packet, packet + length);
        return length;
      }
      const left = length - headerBytes - given;
      if (left <= 0) return 0;
      const payload = Math.min(left, segment);
      const isLast = payload === left;
      bytes.copyWithin(to, packet, packet + headerBytes);
      bytes.copyWithin(
        to + headerBytes,
        packet + headerBytes + given,
        packet + headerBytes + given + payload,
      );
      const size = headerBytes + payload;
      if (isIpv4) {
        const total = swapped(size);
        const id = swapped((parts.id + count) & 0xffff);
        view.setUint16(to + 2, total, true);
        view.setUint16(to + 4, id, true);
        view.setUint16(to + 10, without(fold(parts.ipSum + total + id)), true);
      } else {
        view.setUint16(to + 4, size - 40);
      }
      const transport = to + ipBytes;
      const transportLength = size - ipBytes;
      let sum = parts.transportSum + swapped(transportLength) + sumOf(view, to + headerBytes, payload);
      if (isTcp) {
        const sequence = (parts.sequence + given) >>> 0;
        let { flags } = parts;
        if (!isLast) flags &= ~(fin | push);
        if (count > 0) flags &= ~cwr;
        view.setUint32(transport + 4, sequence);
        view.setUint8(transport + 13, flags);
        sum += swapped(sequence >>> 16) + swapped(sequence & 0xffff) + (flags << 8);
      } else {
        view.setUint16(transport + 4, transportLength);
        sum += swapped(transportLength);
      }
      const checksum = without(fold(sum));
      const field = transport + (isTcp ? tcpChecksum : udpChecksum);
      view.setUint16(field, checksum === 0 && !isTcp ? 0xffff : checksum, true);
      given += payload;
      count += 1;
      return size;
    },
  };
  return cutter;
}
