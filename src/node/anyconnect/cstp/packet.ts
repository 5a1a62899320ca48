/**
 * The packets of CSTP: a header of eight bytes and a payload, one after the other in the TLS stream that CONNECT has
 * opened (draft-mavrogiannopoulos-openconnect-04 §3.1).
 */

export const packetKind = {
  data: 0,
  dpdRequest: 3,
  dpdAnswer: 4,
  disconnect: 5,
  keepAlive: 7,
  compressed: 8,
  terminate: 9,
} as const;

const headerBytes = 8;

/** The longest payload that is read: a packet comes in one TLS record (RFC 8446 §5.1) at most. */
export const maxPayload = 16_384 - headerBytes;

/** "STF" and the version. */
const start = 0x53_54_46_01;

export function framePacket(kind: number, payload: Uint8Array): Buffer {
  if (payload.length > maxPayload) throw new Error(`a payload of ${payload.length} bytes`);
  const packet = Buffer.allocUnsafe(headerBytes + payload.length);
  packet.writeUInt32BE(start, 0);
  packet.writeUInt16BE(payload.length, 4);
  packet[6] = kind;
  packet[7] = 0;
  packet.set(payload, headerBytes);
  return packet;
}

/** Why a stream cannot be read any further. */
export type StreamFault = 'not a packet' | 'a packet that is too long' | 'a compressed packet';

export interface PacketReader {
  /**
   * Calls back with each packet that these bytes complete; its payload is a part of these bytes, or of a copy. After a
   * fault, nothing is read any more.
   */
  read(bytes: Buffer, onPacket: (kind: number, payload: Buffer) => void): StreamFault | undefined;
}

/** Reads a stream in pieces of any size; keeps at most one packet. */
export function createPacketReader(): PacketReader {
  let unread: Buffer = Buffer.alloc(0);
  let fault: StreamFault | undefined;

  return {
    read(bytes, onPacket) {
      if (fault) return fault;
      // What is kept is less than a packet, so it is copied once for each piece that does not complete it.
      const all = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      let at = 0;
      while (all.length - at >= headerBytes) {
        fault = faultOf(all, at);
        if (fault) {
          unread = Buffer.alloc(0);
          return fault;
        }
        const end = at + headerBytes + all.readUInt16BE(at + 4);
        if (end > all.length) break;
        onPacket(all.readUInt8(at + 6), all.subarray(at + headerBytes, end));
        at = end;
      }
      // A copy: the piece may be much larger than what is left of it.
      unread = Buffer.from(all.subarray(at));
      return undefined;
    },
  };
}

function faultOf(bytes: Buffer, at: number): StreamFault | undefined {
  if (bytes.readUInt32BE(at) !== start || bytes[at + 7] !== 0) return 'not a packet';
  if (bytes.readUInt16BE(at + 4) > maxPayload) return 'a packet that is too long';
  // The client never offers compression: what a secret and a stranger's bytes compress to gives the secret away.
  return bytes[at + 6] === packetKind.compressed ? 'a compressed packet' : undefined;
}
