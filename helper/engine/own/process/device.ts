import { read, write } from 'node:fs';

/** The tunnel's device, by a descriptor that is read and written by Node's threads: a read waits for a packet. */
export interface Device {
  /** Queues a packet for this machine, which must not be changed afterwards. */
  write(packet: Buffer): void;
}

/** The largest packet of a device (IPv4's). */
const maxPacketBytes = 65_535;
/** More packets than these are dropped, as a network does. */
const maxQueued = 512;

/** `onEnd`: the device is gone, or can no longer be used. */
export function openDevice(
  descriptor: number,
  onPacket: (packet: Buffer) => void,
  onEnd: (error: Error) => void,
): Device {
  const buffer = Buffer.alloc(maxPacketBytes);
  const queue: Buffer[] = [];
  let isWriting = false;

  function readNext(): void {
    read(descriptor, buffer, 0, buffer.length, null, (error, length) => {
      if (error) return onEnd(error);
      if (length > 0) onPacket(Buffer.from(buffer.subarray(0, length)));
      readNext();
    });
  }

  /** One after the other, so that they stay in order. */
  function writeNext(): void {
    const packet = queue.shift();
    isWriting = packet !== undefined;
    // What is no packet (EINVAL), or comes while the device is down (EIO), is dropped.
    if (packet) write(descriptor, packet, 0, packet.length, null, writeNext);
  }

  readNext();
  return {
    write(packet) {
      if (queue.length >= maxQueued) return;
      queue.push(packet);
      if (!isWriting) writeNext();
    },
  };
}
