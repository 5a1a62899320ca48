/** Packets that tests make byte by byte, with checksums by the simplest way, for a comparison with the quick ones. */

export interface PacketShape {
  version: 4 | 6;
  transport: 'tcp' | 'udp';
  /** Ends of both ports, which make a flow. */
  flow?: number;
  payload: Uint8Array;
  sequence?: number;
  /** TCP's flags; an acknowledgement if absent. */
  flags?: number;
  /** A multiple of four. */
  tcpOptions?: Uint8Array;
  /** IPv4: a multiple of four. IPv6: whole extension headers of eight bytes, of the type 60. */
  ipOptions?: Uint8Array;
  id?: number;
  /** Time to live, or hop limit; 64 if absent. */
  hopLimit?: number;
  window?: number;
  acknowledgement?: number;
}

const protocols = { tcp: 6, udp: 17 } as const;
const destinationOptions = 60;

/** RFC 1071, two bytes at a time, the highest first. */
export function plainChecksum(...parts: readonly Uint8Array[]): number {
  const all = Buffer.concat([...parts, Buffer.alloc(1)]);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  let sum = 0;
  for (let at = 0; at < length; at += 2) {
    sum += all.readUInt16BE(at);
    if (sum > 0xffff) sum -= 0xffff;
  }
  return ~sum & 0xffff;
}

function addressesOf(version: 4 | 6, flow: number): Buffer {
  return version === 4
    ? Buffer.from([192, 0, 2, flow & 0xff, 198, 51, 100, 7])
    : Buffer.concat([
        Buffer.from(`20010db8${'00'.repeat(11)}${(flow & 0xff).toString(16).padStart(2, '0')}`, 'hex'),
        Buffer.from(`20010db8${'00'.repeat(11)}07`, 'hex'),
      ]);
}

/** One packet, with all of its checksums. */
export function packet(shape: PacketShape): Buffer {
  const { version, transport, flow = 1, payload, ipOptions = Buffer.alloc(0) } = shape;
  const body = Buffer.concat([transportHeader(shape), payload]);
  const addresses = addressesOf(version, flow);
  const protocol = protocols[transport];
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const pseudo = Buffer.concat([addresses, length, Buffer.from([0, 0, 0, protocol])]);
  const checksum = plainChecksum(pseudo, body);
  body.writeUInt16BE(checksum === 0 && transport === 'udp' ? 0xffff : checksum, transport === 'tcp' ? 16 : 6);
  if (version === 4) {
    const header = Buffer.alloc(12);
    header[0] = 0x40 | (5 + ipOptions.length / 4);
    header.writeUInt16BE(20 + ipOptions.length + body.length, 2);
    header.writeUInt16BE(shape.id ?? 0, 4);
    header.writeUInt16BE(0x4000, 6);
    header[8] = shape.hopLimit ?? 64;
    header[9] = protocol;
    header.writeUInt16BE(plainChecksum(header, addresses, ipOptions), 10);
    return Buffer.concat([header, addresses, ipOptions, body]);
  }
  const header = Buffer.alloc(8);
  header.writeUInt32BE(0x6000_0000 + flow);
  header.writeUInt16BE(ipOptions.length + body.length, 4);
  header[6] = ipOptions.length > 0 ? destinationOptions : protocol;
  header[7] = shape.hopLimit ?? 64;
  return Buffer.concat([header, addresses, ipOptions, body]);
}

/** An extension header of IPv6 that says nothing (RFC 8200 §4.6). */
export const emptyExtension = (transport: 'tcp' | 'udp'): Buffer =>
  Buffer.from([protocols[transport], 0, 1, 4, 0, 0, 0, 0]);

function transportHeader(shape: PacketShape): Buffer {
  const { transport, flow = 1, payload, tcpOptions = Buffer.alloc(0) } = shape;
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(40_000 + flow, 0);
  ports.writeUInt16BE(443, 2);
  if (transport === 'udp') {
    const rest = Buffer.alloc(4);
    rest.writeUInt16BE(8 + payload.length, 0);
    return Buffer.concat([ports, rest]);
  }
  const rest = Buffer.alloc(16);
  rest.writeUInt32BE((shape.sequence ?? 0) >>> 0, 0);
  rest.writeUInt32BE(shape.acknowledgement ?? 1, 4);
  rest[8] = (5 + tcpOptions.length / 4) << 4;
  rest[9] = shape.flags ?? 0x10;
  rest.writeUInt16BE(shape.window ?? 500, 10);
  return Buffer.concat([ports, rest, tcpOptions]);
}

const fin = 0x01;
const push = 0x08;
const cwr = 0x80;

/** The packets that a large packet has to be cut into, built one by one. */
export function segments(shape: PacketShape, size: number): Buffer[] {
  const { payload, sequence = 0, id = 0, flags = 0x10 } = shape;
  const made: Buffer[] = [];
  for (let at = 0; at < payload.length; at += size) {
    const isLast = at + size >= payload.length;
    const kept = (isLast ? flags : flags & ~(fin | push)) & (at > 0 ? ~cwr : 0xff);
    made.push(
      packet({
        ...shape,
        payload: payload.subarray(at, at + size),
        sequence: sequence + at,
        id: (id + at / size) & 0xffff,
        flags: kept,
      }),
    );
  }
  return made;
}

/** The same as the device gives it: with a virtio header, to be cut at `size`, its checksum begun only. */
export function largePacket(shape: PacketShape, size: number): Buffer {
  const whole = packet(shape);
  const ipBytes = (shape.version === 4 ? 20 : 40) + (shape.ipOptions?.length ?? 0);
  const isTcp = shape.transport === 'tcp';
  const field = ipBytes + (isTcp ? 16 : 6);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(whole.length - ipBytes);
  const pseudo = Buffer.concat([
    addressesOf(shape.version, shape.flow ?? 1),
    length,
    Buffer.from([0, 0, 0, protocols[shape.transport]]),
  ]);
  whole.writeUInt16BE(~plainChecksum(pseudo) & 0xffff, field);
  const header = Buffer.alloc(10);
  header[0] = 1;
  header[1] = size === 0 ? 0 : isTcp ? (shape.version === 4 ? 1 : 4) : 5;
  header.writeUInt16LE(ipBytes + (isTcp ? 20 : 8), 2);
  header.writeUInt16LE(size, 4);
  header.writeUInt16LE(ipBytes, 6);
  header.writeUInt16LE(isTcp ? 16 : 6, 8);
  return Buffer.concat([header, whole]);
}
