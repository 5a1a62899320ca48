import { closeSync, openSync } from 'node:fs';
import { CallFailed, calls } from './system-calls.ts';

/** Constants of the kernel's headers, the same on all supported processors. */
const POLLIN = 1;
const TUNSETIFF = 0x4004_54ca;
const IFF_TUN_WITHOUT_HEADER = 0x1001;

/** The largest packet, in bytes. */
const largest = 65_536;

/** A TUN device, in the network namespace that this thread is in. */
export interface TunnelEnd {
  /** Writes one packet; it is dropped while the device is down. */
  write(packet: Uint8Array): void;
  close(): void;
}

/** How long a look for packets lasts: an end is noticed as late as that, in milliseconds. */
const lookMs = 100;

export function openTunnelEnd(name: string, onPacket: (packet: Buffer) => void): TunnelEnd {
  const { ioctl, read, write, poll } = calls();
  const descriptor = openSync('/dev/net/tun', 'r+');
  // struct ifreq.
  const request = Buffer.alloc(40);
  request.write(name, 0, 15, 'latin1');
  request.writeUInt16LE(IFF_TUN_WITHOUT_HEADER, 16);
  if (ioctl(descriptor, TUNSETIFF, request) < 0) {
    const failed = new CallFailed('TUNSETIFF');
    closeSync(descriptor);
    throw failed;
  }
  const buffer = Buffer.alloc(largest);
  // struct pollfd: looked at by another thread, since Node waits for no such device itself.
  const wanted = Buffer.alloc(8);
  wanted.writeInt32LE(descriptor, 0);
  wanted.writeInt16LE(POLLIN, 4);
  let isOpen = true;
  const isReadable = () => {
    const now = Buffer.from(wanted);
    return poll(now, 1, 0) > 0 && (now.readInt16LE(6) & POLLIN) !== 0;
  };
  const look = () => {
    poll.async(wanted, 1, lookMs, () => {
      if (!isOpen) return closeSync(descriptor);
      while (isReadable()) {
        const length = read(descriptor, buffer, buffer.length);
        if (length <= 0) break;
        onPacket(Buffer.from(buffer.subarray(0, length)));
      }
      look();
    });
  };
  look();
  return {
    write: (packet) => void write(descriptor, Buffer.from(packet), packet.length),
    close: () => (isOpen = false),
  };
}
