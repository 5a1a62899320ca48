import type { PacketHeader } from '../../../system/ports/tunnel-device-port.ts';
import { familyBytes, familyOf } from './macos/packet-family.ts';
import { virtioBytes } from '../data-path/virtio-header.ts';

export interface HeaderForm {
  bytes: number;
  /** What to write in front of this packet; undefined: no device takes it. */
  inFrontOf(packet: Buffer): Buffer | undefined;
}

/** That nothing is left to do with the packet. */
const noOffload = Buffer.alloc(virtioBytes);

/**
 * Each of a device's kinds of header; packets that come through a pipe are told apart by their lengths
 * (framed-device.ts).
 */
export const packetHeaders: Readonly<Record<Exclude<PacketHeader, 'length'>, HeaderForm>> = {
  virtio: { bytes: virtioBytes, inFrontOf: () => noOffload },
  family: { bytes: familyBytes, inFrontOf: ([first = 0]) => familyOf(first >> 4) },
};
