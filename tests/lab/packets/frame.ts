/** A packet as it was on the wire. */
export interface CapturedPacket extends Packet {
  /** Milliseconds since the Unix epoch, with a fraction. */
  readonly time: number;
}

export interface Packet {
  readonly family: 'ipv4' | 'ipv6' | 'other';
  /** IANA protocol number, e.g. 6 TCP, 17 UDP; -1 if it is not IP. */
  readonly protocol: number;
  readonly source: string;
  readonly destination: string;
  /** 0 if the protocol has no ports, or a fragment does not contain them. */
  readonly sourcePort: number;
  readonly destinationPort: number;
  /** For TCP (RFC 9293 §3.1): a segment that resets a connection. */
  readonly isReset: boolean;
  /** For TCP: a segment that opens one, or the answer to that. */
  readonly isSyn: boolean;
  /** What follows the transport header (or the IP header, if there is none). */
  readonly payload: Buffer;
}

/** Bytes before the first record of a classic pcap file (draft-ietf-opsawg-pcap). */
export const pcapHeaderLength = 24;

export interface PcapRecord {
  packet: CapturedPacket;
  /** Its end, in bytes from the beginning of the first record that was read. */
  end: number;
}

/** Reads records of a classic pcap file of Ethernet frames; an unfinished last one is left out. */
export function readPcapRecords(bytes: Buffer): PcapRecord[] {
  const records: PcapRecord[] = [];
  for (let at = 0; at + 16 <= bytes.length;) {
    const end = at + 16 + bytes.readUInt32LE(at + 8);
    if (end > bytes.length) break;
    const time = bytes.readUInt32LE(at) * 1000 + bytes.readUInt32LE(at + 4) / 1000;
    records.push({ packet: { ...readFrame(bytes.subarray(at + 16, end)), time }, end });
    at = end;
  }
  return records;
}

function readFrame(frame: Buffer): Packet {
  switch (frame.readUInt16BE(12)) {
    case 0x0800:
      return readIpv4(frame.subarray(14));
    case 0x86dd:
      return readIpv6(frame.subarray(14));
    default:
      return { ...nowhere, family: 'other', protocol: -1, payload: frame };
  }
}

const nowhere = {
  source: '',
  destination: '',
  sourcePort: 0,
  destinationPort: 0,
  isReset: false,
  isSyn: false,
};

/** A packet without a frame, as a tunnel carries it. */
export const readIpPacket = (packet: Buffer): Packet =>
  packet.readUInt8(0) >> 4 === 6 ? readIpv6(packet) : readIpv4(packet);

function readIpv4(packet: Buffer): Packet {
  const headerLength = (packet.readUInt8(0) & 0x0f) * 4;
  const isFirstFragment = (packet.readUInt16BE(6) & 0x1fff) === 0;
  const protocol = packet.readUInt8(9);
  return {
    family: 'ipv4',
    source: packet.subarray(12, 16).join('.'),
    destination: packet.subarray(16, 20).join('.'),
    ...readTransport(isFirstFragment ? protocol : -1, packet.subarray(headerLength)),
    protocol,
  };
}

/** Extension headers that only lead to the next (RFC 8200 §4): hop-by-hop, routing, destination options. */
const leadingHeaders = [0, 43, 60];
const fragmentHeader = 44;

function readIpv6(packet: Buffer): Packet {
  let protocol = packet.readUInt8(6);
  let at = 40;
  let isFirstFragment = true;
  while (leadingHeaders.includes(protocol) || protocol === fragmentHeader) {
    const isFragment = protocol === fragmentHeader;
    if (isFragment) isFirstFragment &&= (packet.readUInt16BE(at + 2) & 0xfff8) === 0;
    protocol = packet.readUInt8(at);
    at += isFragment ? 8 : 8 + packet.readUInt8(at + 1) * 8;
  }
  return {
    family: 'ipv6',
    source: ipv6Text(packet.subarray(8, 24)),
    destination: ipv6Text(packet.subarray(24, 40)),
    ...readTransport(isFirstFragment ? protocol : -1, packet.subarray(at)),
    protocol,
  };
}

const tcp = 6;
const udp = 17;
const resetFlag = 0x04;
const synFlag = 0x02;

function readTransport(protocol: number, body: Buffer) {
  if ((protocol !== tcp && protocol !== udp) || body.length < 8) {
    return { sourcePort: 0, destinationPort: 0, isReset: false, isSyn: false, payload: body };
  }
  const headerLength = protocol === udp ? 8 : (body.readUInt8(12) >> 4) * 4;
  return {
    sourcePort: body.readUInt16BE(0),
    destinationPort: body.readUInt16BE(2),
    isReset: protocol === tcp && (body.readUInt8(13) & resetFlag) !== 0,
    isSyn: protocol === tcp && (body.readUInt8(13) & synFlag) !== 0,
    payload: body.subarray(headerLength),
  };
}

/** The canonical text of an IPv6 address (RFC 5952), which the URL standard's serializer gives too. */
function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** The 16 bytes of an IPv6 address that is written without an IPv4 part. */
export function bytesOfIpv6(text: string): Buffer {
  const [head = '', tail] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...first, ...zeros, ...last].entries()) bytes.writeUInt16BE(group, index * 2);
  return bytes;
}
