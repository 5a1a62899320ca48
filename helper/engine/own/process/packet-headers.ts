import type { PacketHeader } from '../../../system/ports/tunnel-device-port.ts';
import { virtioBytes } from '../data-path/virtio-header.ts';

export interface HeaderForm {
  bytes: number;
  /** What to write in front of this packet; undefined: no device takes it. */
  inFrontOf(packet: Buffer): Buffer | undefined;
}

/** That nothing is left to do with the packet. */
const noOffload = Buffer.alloc(virtioBytes);

/**
 * macOS's numbers of families, as big-endian numbers of four bytes (XNU, bsd/net/if_utun.c), by the packet's version.
 */
const families = new Map([
  [4, Buffer.from([0, 0, 0, 2])],
  [6, Buffer.from([0, 0, 0, 30])],
]);

/**
 * Each of a device's kinds of header; packets that come through a pipe are told apart by their lengths
 * (framed-device.ts).
 */
export const packetHeaders: Readonly<Record<Exclude<PacketHeader, 'length'>, HeaderForm>> = {
  virtio: { bytes: virtioBytes, inFrontOf: () => noOffload },
  family: { bytes: 4, inFrontOf: ([first = 0]) => families.get(first >> 4) },
};
