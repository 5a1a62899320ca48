import { packetKind } from '#node/anyconnect/cstp/packet.ts';
import { contentType, headerBytes } from '#node/anyconnect/dtls/record.ts';
import type { Arena } from './arena.ts';
import type { Channel, Secured } from './channel.ts';

export interface ReceiverListener {
  /** A packet for this machine. */
  onPacket(at: number, length: number): void;
  /** Any other packet. */
  onControl(channel: Channel, kind: number, payload: Uint8Array): void;
  onEnd(channel: Channel, why: 'closed by the gateway' | 'alert'): void;
  /** A datagram of a handshake. */
  onPlain(channel: Channel, datagram: Uint8Array): void;
}

/** Opens the records of datagrams. */
export interface RecordReceiver {
  /** Whether anything in it was genuine. */
  take(channel: Channel, begin: number, length: number): boolean;
}

const kindBytes = 1;
const fatal = 2;
const closeNotify = 0;
const alertBytes = 2;

export function createRecordReceiver({ bytes, view }: Arena, listener: ReceiverListener): RecordReceiver {
  function takeRecord(channel: Channel, secured: Secured, record: number, length: number): boolean {
    const type = view.getUint8(record);
    if (view.getUint16(record + 3) !== 1) return false;
    const sequence = view.getUint16(record + 5) * 2 ** 32 + view.getUint32(record + 7);
    if (!secured.window.isFresh(sequence)) return false;
    const content = secured.opener.open(record, length);
    if (content < 0) return false;
    secured.window.accept(sequence);
    takeContent(channel, type, record + secured.begin, content);
    return true;
  }

  function takeContent(channel: Channel, type: number, at: number, length: number): void {
    if (type === contentType.applicationData && length > 0) {
      const kind = view.getUint8(at);
      if (kind !== packetKind.data)
        listener.onControl(channel, kind, bytes.slice(at + kindBytes, at + length));
      else if (length > kindBytes) listener.onPacket(at + kindBytes, length - kindBytes);
    } else if (type === contentType.alert && length === alertBytes) {
      const isClosed = view.getUint8(at + 1) === closeNotify;
      if (isClosed || view.getUint8(at) === fatal)
        listener.onEnd(channel, isClosed ? 'closed by the gateway' : 'alert');
    }
  }

  return {
    take(channel, begin, length) {
      const { secured } = channel;
      if (channel.isRetired) return false;
      if (!secured) {
        listener.onPlain(channel, bytes.slice(begin, begin + length));
        return false;
      }
      let isGenuine = false;
      for (let at = begin; at + headerBytes <= begin + length;) {
        const end = at + headerBytes + view.getUint16(at + 11);
        if (end > begin + length || view.getUint16(at + 1) >> 8 !== 0xfe) break;
        isGenuine = takeRecord(channel, secured, at, end - at) || isGenuine;
        // It may have ended with this one.
        if (channel.isRetired) break;
        at = end;
      }
      return isGenuine;
    },
  };
}
