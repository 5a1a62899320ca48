import type { Arena } from '../arena.ts';
import { createCutter } from '../cutter.ts';
import type { DataPathLimits } from '../messages.ts';
import { errno, type SystemCalls } from './system-calls.ts';
import { virtio, virtioBytes } from '../virtio-header.ts';

/** The device by its descriptor. */
export interface OffloadDevice {
  readonly descriptor: number;
  /** How much the system leaves to this end, for the log. */
  readonly step: string;
  /** Whether it takes packets that have been joined. */
  readonly takesJoined: boolean;
  /** Whether each packet has a virtio header. */
  readonly hasHeader: boolean;
  /** Reads what is next with its virtio header to `at`; a negative error if there is nothing, or nothing any more. */
  read(at: number): number;
  /** Writes a packet with its virtio header; a joined one is written as its segments where the system refuses it. */
  write(at: number, length: number): void;
}

const IFF_VNET_HDR = 0x4000;
/** Flags of <linux/if_tun.h>: checksums, TCP in both versions, and UDP in both. */
const TUN_F_CSUM = 0x01;
const TUN_F_TSO = 0x02 | 0x04;
const TUN_F_USO = 0x20 | 0x40;

/** The room that a packet needs with its header. */
export const deviceRoom = virtioBytes + 65_535;

/** Throws for a descriptor that is no device. */
export function openOffloadDevice(
  arena: Arena,
  calls: SystemCalls,
  descriptor: number,
  limit: DataPathLimits['offload'],
  /** `scratch`: room for a packet with its header. `onStep`: called when it does less from now on. */
  { scratch, onStep }: { scratch: number; onStep: (text: string) => void },
): OffloadDevice {
  const { bytes, view } = arena;
  const flags = calls.deviceFlags(descriptor);
  if (flags < 0) throw new Error(`not a device: errno ${-flags}`);
  const status = calls.setNonBlocking(descriptor);
  if (status < 0) throw new Error(`the device blocks: errno ${-status}`);
  if ((flags & IFF_VNET_HDR) === 0)
    return {
      descriptor,
      step: 'no offload: one packet at a time',
      takesJoined: false,
      hasHeader: false,
      read(at) {
        bytes.fill(0, at, at + virtioBytes);
        const length = calls.read(descriptor, at + virtioBytes, deviceRoom - virtioBytes);
        return length > 0 ? length + virtioBytes : length;
      },
      write: (at, length) => void calls.write(descriptor, at + virtioBytes, length - virtioBytes),
    };
  let takesJoined = limit !== 'none';
  const cutter = createCutter(bytes, view);
  return {
    descriptor,
    step: setOffload(calls, descriptor, limit),
    get takesJoined() {
      return takesJoined;
    },
    hasHeader: true,
    read: (at) => calls.read(descriptor, at, deviceRoom),
    write(at, length) {
      // What is not a packet (EINVAL), or comes while the device is down (EIO), is dropped.
      const written = calls.write(descriptor, at, length);
      const isJoined = view.getUint8(at + virtio.kind) !== virtio.none;
      if (written !== -errno.EINVAL || !isJoined || !cutter.begin(at, length)) return;
      takesJoined = false;
      onStep('the system refuses joined packets: they are written one at a time');
      const packet = scratch + virtioBytes;
      for (let size = cutter.next(packet); size > 0; size = cutter.next(packet)) {
        bytes.fill(0, scratch, packet);
        calls.write(descriptor, scratch, virtioBytes + size);
      }
    },
  };
}

function setOffload(calls: SystemCalls, descriptor: number, limit: DataPathLimits['offload']): string {
  if (limit === 'udp' && calls.setOffload(descriptor, TUN_F_CSUM | TUN_F_TSO | TUN_F_USO) === 0)
    return 'offload of TCP and UDP';
  // The kernel has had the one for UDP since 6.2.
  if (limit !== 'none' && calls.setOffload(descriptor, TUN_F_CSUM | TUN_F_TSO) === 0) return 'offload of TCP';
  calls.setOffload(descriptor, 0);
  return 'no offload: the device cuts packets itself';
}

/** Whether the device is gone, after a read that has failed. */
export const isGone = (error: number): boolean => error !== -errno.EAGAIN && error !== -errno.EINTR;
