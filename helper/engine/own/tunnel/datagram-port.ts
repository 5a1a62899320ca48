import type { SecuredRecords } from '../dtls/client.ts';

/** What the system gives the DTLS channel: datagrams, and, where it can, a way for packets past the engine's thread. */

/** Datagrams to one port of the gateway. */
export interface DatagramPort {
  send(datagram: Buffer): void;
  close(): void;
  /** Seals and opens the records itself from now on, and passes data between them and the device; absent: it cannot. */
  takeOver?(
    given: { records: SecuredRecords; mtu: number; askAfterMs: number },
    listener: FastListener,
  ): FastWay;
}

/** A way on which data passes without this thread. Times are those of `performance.now`. */
export interface FastWay {
  /** When something genuine came last, and when data was sent last; and the first that was sent and not answered. */
  heardAt(): number | undefined;
  sentAt(): number | undefined;
  unansweredAt(): number | undefined;
  /** Takes a datagram that has come before. */
  received(datagram: Buffer): void;
  write(kind: number, payload: Uint8Array): void;
  /** Whether it takes the device's packets; if not, and it `repeats`, those that were not answered come back, too. */
  carry(carries: boolean, how?: 'repeats'): void;
  sayGoodbye(): void;
}

export interface FastListener {
  /** Any packet but data. */
  onControl(kind: number, payload: Buffer): void;
  /** Something was sent, and nothing has come back for a while. */
  onQuiet(): void;
  onEnd(end: 'closed by the gateway' | 'alert' | 'used up'): void;
}

export type OpenDatagrams = (listener: {
  onDatagram: (datagram: Buffer) => void;
  onError: (error: Error) => void;
}) => DatagramPort;
