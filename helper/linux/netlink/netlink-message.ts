/** A message to or from the kernel without its header (netlink(7)), in this machine's byte order. */
export interface NetlinkMessage {
  type: number;
  payload: Buffer;
}

/** With its sequence number, by which an answer is matched to its request. */
export interface NumberedMessage extends NetlinkMessage {
  sequence: number;
}

/** Sizes of `struct nlmsghdr` and `struct nlattr`. */
export const headerLength = 16;
const attributeHeader = 4;
/** The bits of an attribute's type that are not flags (NLA_TYPE_MASK). */
const attributeTypes = 0x3fff;

/** Messages and attributes are aligned to four bytes. */
const align = (length: number) => Math.ceil(length / 4) * 4;

export function encodeMessages(messages: readonly NumberedMessage[], flags: number): Buffer {
  const lengths = messages.map(({ payload }) => align(headerLength + payload.length));
  const encoded = Buffer.alloc(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, { type, payload, sequence }] of messages.entries()) {
    encoded.writeUInt32LE(headerLength + payload.length, at);
    encoded.writeUInt16LE(type, at + 4);
    encoded.writeUInt16LE(flags, at + 6);
    encoded.writeUInt32LE(sequence, at + 8);
    payload.copy(encoded, at + headerLength);
    at += lengths[index] ?? 0;
  }
  return encoded;
}

/** The payloads are parts of `received`, and change with it. */
export function decodeMessages(received: Buffer): NumberedMessage[] {
  const messages: NumberedMessage[] = [];
  for (let at = 0; at + headerLength <= received.length;) {
    const length = received.readUInt32LE(at);
    if (length < headerLength || at + length > received.length) throw new Error('half a netlink message');
    messages.push({
      type: received.readUInt16LE(at + 4),
      sequence: received.readUInt32LE(at + 8),
      payload: received.subarray(at + headerLength, at + length),
    });
    at += align(length);
  }
  return messages;
}

export function attribute(type: number, value: Buffer): Buffer {
  const encoded = Buffer.alloc(align(attributeHeader + value.length));
  encoded.writeUInt16LE(attributeHeader + value.length, 0);
  encoded.writeUInt16LE(type, 2);
  value.copy(encoded, attributeHeader);
  return encoded;
}

/** The value of a 32-bit attribute. */
export function findNumber(payload: Buffer, fixedLength: number, wanted: number): number | undefined {
  for (let at = align(fixedLength); at + attributeHeader + 4 <= payload.length;) {
    const length = payload.readUInt16LE(at);
    if (length < attributeHeader) return undefined;
    if ((payload.readUInt16LE(at + 2) & attributeTypes) === wanted)
      return payload.readUInt32LE(at + attributeHeader);
    at += align(length);
  }
  return undefined;
}

/** The value of an attribute after a header of `fixedLength` bytes, or undefined if there is none of that type. */
export function findAttribute(payload: Buffer, fixedLength: number, wanted: number): Buffer | undefined {
  for (let at = align(fixedLength); at + attributeHeader <= payload.length;) {
    const length = payload.readUInt16LE(at);
    if (length < attributeHeader) return undefined;
    const type = payload.readUInt16LE(at + 2) & attributeTypes;
    if (type === wanted) return payload.subarray(at + attributeHeader, at + length);
    at += align(length);
  }
  return undefined;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A text as the kernel stores it, with a final zero. */
export const zeroTerminated = (text: string): Buffer => Buffer.from(`${text}\0`);
