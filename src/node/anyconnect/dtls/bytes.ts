/** A message that is not as the protocol has it; its datagram is ignored. */
export class Malformed extends Error {
  override name = 'Malformed';
}

/** Reads a message from its start to its end; a length beyond the end is `Malformed`. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new Malformed('too short');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  number(length: 1 | 2 | 3): number {
    return this.take(length).readUIntBE(0, length);
  }

  /** Bytes with their length, itself in so many bytes, in front of them. */
  vector(lengthBytes: 1 | 2): Buffer {
    return this.take(this.number(lengthBytes));
  }

  end(): void {
    if (this.left > 0) throw new Malformed('too long');
  }
}

export function number(value: number, length: 1 | 2 | 3): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

export const vector = (bytes: Uint8Array, lengthBytes: 1 | 2): Buffer =>
  Buffer.concat([number(bytes.length, lengthBytes), bytes]);
