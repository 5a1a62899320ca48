/**
 * Packets one after the other on a stream, each with its length in front: two bytes, the high one first. For systems
 * where the engine's process cannot inherit the device.
 */
export const frameHeadBytes = 2;
/** The largest IP packet (RFC 791). */
export const maxPacketBytes = 65_535;

/** A packet with its length. */
export function frameOf(packet: Uint8Array): Buffer {
  if (packet.length === 0 || packet.length > maxPacketBytes) throw new RangeError('not a packet');
  const frame = Buffer.allocUnsafe(frameHeadBytes + packet.length);
  frame.writeUInt16BE(packet.length);
  frame.set(packet, frameHeadBytes);
  return frame;
}

/**
 * Finds packets in the pieces of such a stream. Each is given to `onPacket` as a view of memory that nobody changes.
 * Throws for a packet without bytes, after which nothing of the stream can be read.
 */
export function createFrameReader(onPacket: (packet: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    while (bytes.length - at >= frameHeadBytes) {
      const length = bytes.readUInt16BE(at);
      if (length === 0) throw new RangeError('a packet without bytes');
      const end = at + frameHeadBytes + length;
      if (end > bytes.length) break;
      onPacket(bytes.subarray(at + frameHeadBytes, end));
      at = end;
    }
    rest = bytes.subarray(at);
  };
}
