import type { Arena } from '../arena.ts';
import type { DataPathLimits } from '../messages.ts';
import {
  createPollSet,
  errno,
  pollIn,
  pollOut,
  type PollSet,
  type ReceiveSlots,
  type SystemCalls,
} from './system-calls.ts';

/** A socket to the gateway, that sends and receives many datagrams at once where the system does that. */
export interface DatagramSocket {
  readonly descriptor: number;
  /** Sends one. */
  send(at: number, length: number): void;
  /** Sends `length` bytes as datagrams of `size` bytes, of which only the last may be shorter. */
  sendMany(at: number, length: number, size: number): void;
  /** Calls back with each datagram that is there, up to a limit; how many there were. */
  receive(onDatagram: (at: number, length: number) => void): number;
  close(): void;
}

/** What one call takes: UDP_MAX_SEGMENTS of older kernels, and the largest IP packet without its headers. */
export const maxSegments = 64;
export const maxSendBytes = 65_000;

const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const solUdp = 17;
const udpGro = 104;

/** Room for what arrives while this thread does something else; the system gives as much of it as it allows. */
const receiveBufferBytes = 1024 * 1024;
/** For as long, a full queue of the link is waited for. */
const maxWaitMs = 50;
/** So often, what has come is read before something else gets its turn. */
const maxReceives = 2;

/** The kernel does not cut for this path: encrypted by IPsec, or not as large as was believed. */
const refusals = [-errno.EIO, -errno.EMSGSIZE, -errno.EINVAL];
const names: Record<number, string> = {
  [-errno.EIO]: 'EIO',
  [-errno.EMSGSIZE]: 'EMSGSIZE',
  [-errno.EINVAL]: 'EINVAL',
};

export interface DatagramSocketOptions {
  place: { address: readonly number[]; port: number };
  limits: DataPathLimits;
  slots: ReceiveSlots;
  /** While a full link is waited for: something has come. */
  onWaiting(): void;
  /** It does less than before from now on. */
  onStep(text: string): void;
}

/** Throws if there is no socket. */
export function createDatagramSocket(
  arena: Arena,
  calls: SystemCalls,
  poll: PollSet,
  options: DatagramSocketOptions,
): DatagramSocket {
  const { limits, slots } = options;
  const { view } = arena;
  const descriptor = calls.openDatagramSocket(options.place);
  if (descriptor < 0) throw new Error(`no socket: errno ${-descriptor}`);
  calls.setOption(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBufferBytes);
  let sendsMany = limits.sendsMany;
  const joins = limits.receivesMany && calls.setOption(descriptor, solUdp, udpGro, 1) === 0;
  if (!limits.receivesMany || !joins) options.onStep('datagrams are received one at a time');
  if (!sendsMany) options.onStep('datagrams are sent one at a time');

  /** A queue that is full empties soon; what still does not fit is lost, as in a network. */
  function sendWaiting(at: number, length: number, segment: number): number {
    let status = calls.send(descriptor, at, length, segment);
    const until = performance.now() + maxWaitMs;
    while (status === -errno.EAGAIN || status === -errno.ENOBUFS) {
      view.setInt32(poll.at, descriptor, true);
      view.setInt16(poll.at + 4, pollOut | pollIn, true);
      poll.count = 1;
      const left = until - performance.now();
      if (left <= 0) return status;
      calls.poll(poll, Math.ceil(left));
      if ((view.getInt16(poll.at + 6, true) & pollIn) !== 0) options.onWaiting();
      status = calls.send(descriptor, at, length, segment);
    }
    // An error that an earlier datagram has caused, such as that nobody listened, is told once.
    return status === -errno.EMSGSIZE || status === -errno.EIO || status === -errno.EINVAL || status >= 0
      ? status
      : calls.send(descriptor, at, length, segment);
  }

  return {
    descriptor,
    send: (at, length) => void sendWaiting(at, length, 0),
    sendMany(at, length, size) {
      if (sendsMany && length > size) {
        const status = sendWaiting(at, length, size);
        if (!refusals.includes(status)) return;
        sendsMany = false;
        options.onStep(`datagrams are sent one at a time: ${names[status]}`);
      }
      for (let done = 0; done < length; done += size)
        sendWaiting(at + done, Math.min(size, length - done), 0);
    },
    receive(onDatagram) {
      let total = 0;
      for (let round = 0; round < maxReceives; round += 1) {
        const count = calls.receive(descriptor, slots);
        if (count <= 0) break;
        for (let index = 0; index < count; index += 1) {
          const begin = slots.slotAt(index);
          const length = slots.lengthOf(index);
          const segment = slots.segmentOf(index);
          for (let done = 0; done < length; done += segment) {
            onDatagram(begin + done, Math.min(segment, length - done));
            total += 1;
          }
        }
        if (count < slots.count) break;
      }
      return total;
    },
    close: () => void calls.close(descriptor),
  };
}

export const createSocketPollSet = (arena: Arena): PollSet => createPollSet(arena, 1);
