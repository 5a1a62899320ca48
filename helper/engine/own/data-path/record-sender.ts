import { packetKind } from '#node/anyconnect/cstp/packet.ts';
import { contentType, headerBytes, overheadOf, tagBytes, version } from '#node/anyconnect/dtls/record.ts';
import type { Arena } from './arena.ts';
import type { Channel, Secured } from './channel.ts';
import type { Cutter } from './cutter.ts';
import { maxSegments, maxSendBytes, slotBytes } from './this-system.ts';

/** Seals records for the gateway, and sends many at once where they have the same size. */
export interface RecordSender {
  /** Room for one packet while nothing waits to be sent. */
  readonly scratch: number;
  /** Sends what the cutter cuts; `onPacket` is told of each. Nothing has to be sent yet. */
  sendPackets(
    channel: Channel,
    secured: Secured,
    cutter: Cutter,
    onPacket: (at: number, length: number) => void,
  ): SendOutcome;
  /** Sends what waits. */
  flush(channel: Channel): void;
  /** Sends one record at once. */
  write(
    channel: Channel,
    secured: Secured,
    type: number,
    first: readonly number[],
    payload: Uint8Array,
  ): SendOutcome;
  /** Sends a datagram as it is. */
  sendAsIs(channel: Channel, datagram: Uint8Array): void;
}

/** `used up`: the keys are not to be used any more. */
export type SendOutcome = 'sent' | 'used up';

/** Sequence numbers have 48 bits; long before that, new keys are due. */
const maxSequence = 2 ** 47;
const kindBytes = 1;

/** The kinds of packets that anybody understands fit; and records up to the largest packet. */
export const senderBytes = maxSendBytes + 2 * slotBytes;

export function createRecordSender(arena: Arena): RecordSender {
  const { bytes, view } = arena;
  const output = arena.take(senderBytes);
  /** Records that wait to be sent together: where they begin and end, and the size of all but the last. */
  const batch = { begin: output, end: output, size: 0, count: 0 };

  function flush(channel: Channel): void {
    if (batch.count > 0) channel.socket.sendMany(batch.begin, batch.end - batch.begin, batch.size);
    batch.begin = output;
    batch.end = output;
    batch.count = 0;
  }

  function add(channel: Channel, length: number): void {
    if (batch.count > 0 && length > batch.size) {
      // It is behind those, and begins a batch of its own.
      const at = batch.end;
      channel.socket.sendMany(batch.begin, at - batch.begin, batch.size);
      batch.begin = at;
      batch.end = at;
      batch.count = 0;
    }
    if (batch.count === 0) batch.size = length;
    batch.end += length;
    batch.count += 1;
    const isFull = batch.count === maxSegments || batch.end - batch.begin + batch.size > maxSendBytes;
    if (length < batch.size || isFull) flush(channel);
  }

  /** Seals a record whose content is there; its length, or 0 when the keys are used up. */
  function seal(secured: Secured, record: number, type: number, contentLength: number): number {
    if (secured.sequence >= maxSequence) return 0;
    const { sequence, suite } = secured;
    secured.sequence += 1;
    view.setUint8(record, type);
    view.setUint16(record + 1, version);
    view.setUint16(record + 3, 1);
    view.setUint16(record + 5, Math.floor(sequence / 2 ** 32));
    view.setUint32(record + 7, sequence >>> 0);
    const length = overheadOf(suite) + contentLength;
    view.setUint16(record + 11, length - headerBytes);
    return secured.sealer.seal(record, contentLength) ? length : 0;
  }

  return {
    scratch: output,
    flush,
    sendPackets(channel, secured, cutter, onPacket) {
      const { begin } = secured;
      const largest = begin + kindBytes + cutter.largest + tagBytes;
      for (;;) {
        if (batch.end + largest > output + senderBytes) flush(channel);
        const record = batch.end;
        const packet = record + begin + kindBytes;
        const length = cutter.next(packet);
        if (length === 0) return 'sent';
        onPacket(packet, length);
        view.setUint8(record + begin, packetKind.data);
        const sealed = seal(secured, record, contentType.applicationData, kindBytes + length);
        if (sealed === 0) return 'used up';
        add(channel, sealed);
      }
    },
    write(channel, secured, type, first, payload) {
      if (payload.length > slotBytes) return 'sent';
      bytes.set(first, output + secured.begin);
      bytes.set(payload, output + secured.begin + first.length);
      const sealed = seal(secured, output, type, first.length + payload.length);
      if (sealed === 0) return 'used up';
      channel.socket.send(output, sealed);
      return 'sent';
    },
    sendAsIs({ socket }, datagram) {
      if (datagram.length > slotBytes) return;
      bytes.set(datagram, output);
      socket.send(output, datagram.length);
    },
  };
}
