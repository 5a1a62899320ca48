import { ByteReader, Malformed } from './bytes.ts';

/** A whole handshake message. */
export interface HandshakeMessage {
  type: number;
  sequence: number;
  body: Buffer;
}

/** Enough for each message of a handshake without certificates. */
const maxMessageBytes = 4_096;
/** How many messages may come before the one that is due. */
const maxAhead = 8;

interface Partial {
  type: number;
  body: Buffer;
  /** Which bytes of it are there. */
  have: Uint8Array;
  missing: number;
}

/** Puts handshake messages together from fragments in any order, also such that overlap (RFC 6347 §4.2.3). */
export interface MessageAssembly {
  /** Takes the content of a record; throws `Malformed`, and takes what comes before the fault. */
  add(content: Buffer): void;
  /** The message that is due, if it is whole; then the next one is. */
  next(): HandshakeMessage | undefined;
}

/** `due`: the sequence number of the first message. */
export function createMessageAssembly(due = 0): MessageAssembly {
  const partials = new Map<number, Partial>();

  function addFragment(reader: ByteReader): void {
    const type = reader.number(1);
    const length = reader.number(3);
    const sequence = reader.number(2);
    const offset = reader.number(3);
    const fragment = reader.take(reader.number(3));
    // What is retransmitted, though it has arrived.
    if (sequence < due) return;
    if (sequence >= due + maxAhead || length > maxMessageBytes) throw new Malformed('too much at once');
    if (offset + fragment.length > length) throw new Malformed('a fragment beyond its message');
    let partial = partials.get(sequence);
    if (!partial) {
      partial = { type, body: Buffer.alloc(length), have: new Uint8Array(length), missing: length };
      partials.set(sequence, partial);
    }
    // Nobody knows which of two that differ is genuine; the first one is as good as the other.
    if (partial.type !== type || partial.body.length !== length) throw new Malformed('another message');
    for (const [index, byte] of fragment.entries()) {
      if (partial.have[offset + index] === 1) continue;
      partial.have[offset + index] = 1;
      partial.body[offset + index] = byte;
      partial.missing -= 1;
    }
  }

  return {
    add(content) {
      const reader = new ByteReader(content);
      if (reader.left === 0) throw new Malformed('an empty record');
      while (reader.left > 0) addFragment(reader);
    },
    next() {
      const partial = partials.get(due);
      if (!partial || partial.missing > 0) return undefined;
      partials.delete(due);
      due += 1;
      return { type: partial.type, sequence: due - 1, body: partial.body };
    },
  };
}
