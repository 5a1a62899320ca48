import type { CapturedPacket } from '../../../lab/packets/frame.ts';

/** Content type of what is protected: data, but in TLS 1.3 also the end of the handshake (RFC 8446 §5.2). */
const applicationData = 23;
const headerBytes = 5;

/** Lengths of the protected TLS records that were sent to `address`, connection by connection. */
export function protectedRecordsTo(packets: readonly CapturedPacket[], address: string): number[] {
  const streams = new Map<number, Buffer[]>();
  for (const packet of packets) {
    if (packet.destination !== address || packet.protocol !== 6 || packet.sourcePort === undefined) continue;
    streams.set(packet.sourcePort, [...(streams.get(packet.sourcePort) ?? []), packet.payload]);
  }
  return [...streams.values()].flatMap((parts) => readRecords(Buffer.concat(parts)));
}

function readRecords(stream: Buffer): number[] {
  const lengths: number[] = [];
  for (let at = 0; at + headerBytes <= stream.length;) {
    const length = stream.readUInt16BE(at + 3);
    if (stream[at] === applicationData) lengths.push(length);
    at += headerBytes + length;
  }
  return lengths;
}
