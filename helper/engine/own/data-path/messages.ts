import type { SecuredRecords } from '../dtls/client.ts';

/** Between the engine's main thread and that of the data path. Channels have numbers, which nobody uses twice. */

export type ToDataPath =
  /** Reads and writes packets by this descriptor from now on. */
  | { do: 'device'; descriptor: number }
  | { do: 'open'; channel: number; address: number[]; port: number; clock: SharedArrayBuffer }
  /** Sends it as it is. */
  | { do: 'send'; channel: number; datagram: Uint8Array }
  | { do: 'take-over'; channel: number; takeOver: TakeOver }
  /** Takes a datagram that has come before that. */
  | { do: 'received'; channel: number; datagram: Uint8Array }
  | { do: 'write'; channel: number; kind: number; payload: Uint8Array }
  /** Tells the gateway that the connection ends. */
  | { do: 'say-goodbye'; channel: number }
  /**
   * The channel takes the device's packets, or does so no more: while none does, they go to the main thread. `repeats`:
   * those that nobody has answered, too.
   */
  | { do: 'carry'; channel: number; carries: boolean; repeats: boolean }
  /** Lets data pass from now on. */
  | { do: 'pass' }
  /** Takes nothing from it any more; its socket stays open. */
  | { do: 'retire'; channel: number }
  | { do: 'close'; channel: number }
  | { do: 'stop' };

/** What a channel needs that has shaken hands. */
export interface TakeOver {
  /** Its cipher suite's number; functions do not pass from thread to thread. */
  suite: number;
  records: Omit<SecuredRecords, 'suite'>;
  /** The largest packet of the device that it takes. */
  mtu: number;
  /** After so long without an answer, the main thread is told. */
  askAfterMs: number;
}

export type FromDataPath =
  | { tells: 'datagram'; channel: number; datagram: Uint8Array }
  /** Any packet but data. */
  | { tells: 'control'; channel: number; kind: number; payload: Uint8Array }
  | { tells: 'quiet'; channel: number }
  | { tells: 'ended'; channel: number; why: 'closed by the gateway' | 'alert' | 'used up' }
  /** Packets of the device, one after the other. */
  | { tells: 'packets'; bytes: Uint8Array; lengths: number[] }
  | { tells: 'device'; hasHeader: boolean }
  | { tells: 'device-ended'; why: string }
  | { tells: 'note'; text: string }
  | { tells: 'ready'; waker: number; cipher: string }
  | { tells: 'stopped' };

/** In each channel's shared memory: milliseconds on the system's monotonic clock, or 0. */
export const clock = { heardAt: 0, sentAt: 1, unansweredAt: 2 } as const;
export const clockBytes = 3 * 8;

/** What the main thread has not dealt with yet: two numbers, shared. */
export const waitingFor = { packets: 0, messages: 1 } as const;
export const waitingBytes = 2 * 4;
/** No more packets of the device are read meanwhile; the system keeps them. */
export const maxWaiting = 64;
/** What comes from the network beside them is lost, as datagrams are: it may be anybody's, and takes memory. */
export const maxWaitingMessages = 256;

/** Milliseconds of the monotonic clock, which is the same in all threads. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

/** How good it may be at most; what the system cannot do is left out anyway. */
export interface DataPathLimits {
  offload: 'udp' | 'tcp' | 'none';
  /** Whether datagrams are sent and received many at once. */
  sendsMany: boolean;
  receivesMany: boolean;
  cipher: 'tls' | 'evp' | 'node';
}

export const bestLimits: DataPathLimits = {
  offload: 'udp',
  sendsMany: true,
  receivesMany: true,
  cipher: 'tls',
};
