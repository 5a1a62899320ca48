import type { Arena } from './arena.ts';
import type { Channel } from './channel.ts';
import { createCutter } from './cutter.ts';
import { createJoiner } from './joiner.ts';
import { maxWaiting, waitingFor, type DataPathLimits, type FromDataPath } from './messages.ts';
import type { RecordSender } from './record-sender.ts';
import {
  deviceRoom,
  isGone,
  openOffloadDevice,
  pollIn,
  type OffloadDevice,
  type SystemCalls,
} from './this-system.ts';
import { virtioBytes } from './virtio-header.ts';

/**
 * The tunnel's device: what programs send goes to a channel or to the main thread, what the gateway sends to programs.
 */
export interface DeviceSide {
  /** Undefined while there is none, or it has gone. */
  readonly descriptor: number | undefined;
  /** What to poll it for. What nobody can take yet is kept by the system; one that is gone says so at once. */
  readonly events: number;
  open(descriptor: number): void;
  /** Packets pass from now on. */
  pass(): void;
  /** Reads what programs have sent. True if some of it has gone to the carrier. */
  read(carrier: Channel | undefined): boolean;
  /** Writes a packet from the gateway; some only go out with `flush`. */
  write(packet: number, length: number): void;
  flush(): void;
  /** Gives packets to the main thread, which carries those that no channel can. */
  give(packets: readonly Uint8Array[]): void;
}

/**
 * How many packets and bytes are read before something else gets its turn: who pings does not wait for a whole queue.
 */
const maxReads = 64;
const maxReadBytes = 256 * 1024;

/** The room that it takes in the arena. */
export const deviceSideBytes = 2 * (deviceRoom + 64);

export function createDeviceSide(
  arena: Arena,
  {
    calls,
    sender,
    limits,
    onSend,
    onUsedUp,
    ...told
  }: {
    calls: SystemCalls;
    sender: RecordSender;
    limits: DataPathLimits;
    /** How much waits for the main thread, by `waitingFor`. */
    waiting: SharedArrayBuffer;
    /** A packet is sent over a channel. */
    onSend: (at: number, length: number) => void;
    onUsedUp: (channel: Channel) => void;
    tell: (message: FromDataPath, transfer?: ArrayBuffer[]) => void;
    note: (text: string) => void;
  },
): DeviceSide {
  const { bytes, view } = arena;
  const { tell, note } = told;
  const waiting = new Int32Array(told.waiting);
  const input = arena.take(deviceRoom);
  const apart = arena.take(deviceRoom);
  const cutter = createCutter(bytes, view);
  const joiner = createJoiner(arena, (at, length) => device?.write(at, length));
  let device: OffloadDevice | undefined;
  let passes = false;

  const isMainBusy = () => Atomics.load(waiting, waitingFor.packets) >= maxWaiting;

  function gone(why: string): void {
    device = undefined;
    tell({ tells: 'device-ended', why });
  }

  /** What waits to be sent is where packets are written to. */
  function giveCut(carrier: Channel | undefined): void {
    if (carrier) sender.flush(carrier);
    const packets: Uint8Array[] = [];
    const { scratch } = sender;
    for (let length = cutter.next(scratch); length > 0; length = cutter.next(scratch))
      packets.push(bytes.slice(scratch, scratch + length));
    give(packets);
  }

  function give(packets: readonly Uint8Array[]): void {
    if (packets.length === 0) return;
    const lengths = packets.map((packet) => packet.length);
    const all = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const packet of packets) {
      all.set(packet, at);
      at += packet.length;
    }
    Atomics.add(waiting, waitingFor.packets, packets.length);
    tell({ tells: 'packets', bytes: all, lengths }, [all.buffer]);
  }

  return {
    get descriptor() {
      return device?.descriptor;
    },
    get events() {
      return !passes || isMainBusy() ? 0 : pollIn;
    },
    open(descriptor) {
      try {
        device = openOffloadDevice(arena, calls, descriptor, limits.offload, {
          scratch: apart,
          onStep: note,
        });
        tell({ tells: 'device', hasHeader: device.hasHeader });
        note(device.step);
      } catch (error) {
        gone(messageOf(error));
      }
    },
    pass() {
      passes = true;
    },
    read(carrier) {
      let hasSent = false;
      let total = 0;
      for (let count = 0; device && count < maxReads && total < maxReadBytes; count += 1) {
        const length = device.read(input);
        if (length <= 0) {
          if (isGone(length)) gone(`errno ${-length}`);
          break;
        }
        total += length;
        // What has no end that could be known is dropped.
        if (!cutter.begin(input, length)) note('a packet of the device cannot be cut');
        else if (carrier?.secured && cutter.largest <= carrier.secured.mtu) {
          const outcome = sender.sendPackets(carrier, carrier.secured, cutter, onSend);
          hasSent = true;
          if (outcome === 'used up') onUsedUp(carrier);
        } else giveCut(carrier);
        if (isMainBusy()) break;
      }
      if (carrier) sender.flush(carrier);
      return hasSent;
    },
    write(packet, length) {
      if (!passes || !device) return;
      if (device.takesJoined) return joiner.add(packet, length);
      bytes.fill(0, packet - virtioBytes, packet);
      device.write(packet - virtioBytes, length + virtioBytes);
    },
    flush: () => joiner.flush(),
    give,
  };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'unknown');
