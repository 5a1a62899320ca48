import { read, writev } from 'node:fs';
import { virtioBytes } from '../data-path/virtio-header.ts';

/**
 * The tunnel's device, by a descriptor of a device with virtio headers that is read and written by Node's threads: a read
 * waits for a packet.
 */
export interface Device {
  /** Lets packets pass from now on, in both directions; until then, the system keeps those of this machine. */
  pass(): void;
  /** Queues a packet for this machine, which must not be changed afterwards. */
  write(packet: Buffer): void;
}

/** The largest packet of a device (IPv4's). */
const maxPacketBytes = 65_535;
/** In front of each packet: that nothing is left to do with it. */
const noOffload = Buffer.alloc(virtioBytes);
/** More packets than these are dropped, as a network does. */
const maxQueued = 512;

/** `onEnd`: the device is gone, or can no longer be used. */
export function openDevice(
  descriptor: number,
  onPacket: (packet: Buffer) => void,
  onEnd: (error: Error) => void,
): Device {
  const buffer = Buffer.alloc(virtioBytes + maxPacketBytes);
  const queue: Buffer[] = [];
  let isWriting = false;
  let passes = false;

  function readNext(): void {
    read(descriptor, buffer, 0, buffer.length, null, (error, length) => {
      if (error) return onEnd(error);
      if (length > virtioBytes) onPacket(Buffer.from(buffer.subarray(virtioBytes, length)));
      readNext();
    });
  }

  /** One after the other, so that they stay in order. */
  function writeNext(): void {
    const packet = queue.shift();
    isWriting = packet !== undefined;
    // What is no packet (EINVAL), or comes while the device is down (EIO), is dropped.
    if (packet) writev(descriptor, [noOffload, packet], writeNext);
  }

  return {
    pass() {
      if (!passes) readNext();
      passes = true;
    },
    write(packet) {
      if (queue.length >= maxQueued) return;
      queue.push(packet);
      if (!isWriting) writeNext();
    },
  };
}
