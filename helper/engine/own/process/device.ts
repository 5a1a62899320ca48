import { read, writev } from 'node:fs';
import type { HeaderForm } from './packet-headers.ts';

/** The tunnel's device, by a descriptor that is read and written by Node's threads: a read waits for a packet. */
export interface Device {
  /** Lets packets pass from now on, in both directions; until then, the system keeps those of this machine. */
  pass(): void;
  /** Queues a packet for this machine, which must not be changed afterwards. */
  write(packet: Buffer): void;
}

/** The largest packet of a device (IPv4's). */
const maxPacketBytes = 65_535;
/** More packets than these are dropped, as a network does. */
const maxQueued = 512;

/** `onEnd`: the device is gone, or can no longer be used. */
export function openDevice({
  descriptor,
  header,
  onPacket,
  onEnd,
}: {
  descriptor: number;
  header: HeaderForm;
  onPacket: (packet: Buffer) => void;
  onEnd: (error: Error) => void;
}): Device {
  const buffer = Buffer.alloc(header.bytes + maxPacketBytes);
  const queue: [header: Buffer, packet: Buffer][] = [];
  let isWriting = false;
  let passes = false;

  function readNext(): void {
    read(descriptor, buffer, 0, buffer.length, null, (error, length) => {
      if (error || length === 0) return onEnd(error ?? new Error('it has ended'));
      if (length > header.bytes) onPacket(Buffer.from(buffer.subarray(header.bytes, length)));
      readNext();
    });
  }

  /** One after the other, so that they stay in order. */
  function writeNext(): void {
    const parts = queue.shift();
    isWriting = parts !== undefined;
    // What is no packet (EINVAL), or comes while the device is down (EIO), is dropped.
    if (parts) writev(descriptor, parts, writeNext);
  }

  return {
    pass() {
      if (!passes) readNext();
      passes = true;
    },
    write(packet) {
      const inFront = header.inFrontOf(packet);
      if (inFront === undefined || queue.length >= maxQueued) return;
      queue.push([inFront, packet]);
      if (!isWriting) writeNext();
    },
  };
}
