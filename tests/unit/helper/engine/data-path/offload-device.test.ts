import { expect, test } from 'vitest';
import { createArena } from '../../../../../helper/engine/own/data-path/arena.ts';
import {
  deviceRoom,
  openOffloadDevice,
} from '../../../../../helper/engine/own/data-path/linux/offload-device.ts';
import { createJoiner } from '../../../../../helper/engine/own/data-path/joiner.ts';
import { errno, type SystemCalls } from '../../../../../helper/engine/own/data-path/linux/system-calls.ts';
import { virtioBytes } from '../../../../../helper/engine/own/data-path/virtio-header.ts';
import { packet } from '../support/packets.ts';

const vnetHeader = 0x4000;
const unused = () => {
  throw new Error('not called');
};

/** A device of a system that refuses packets which are not as `takes` says. */
function deviceThat(takes: (written: Buffer) => boolean) {
  const arena = createArena(2 * 1024 * 1024);
  const written: Buffer[] = [];
  const notes: string[] = [];
  const calls: SystemCalls = {
    read: unused,
    write(_descriptor, at, length) {
      const one = Buffer.from(arena.bytes.subarray(at, at + length));
      if (!takes(one)) return -errno.EINVAL;
      written.push(one);
      return length;
    },
    deviceFlags: () => vnetHeader,
    setOffload: () => 0,
    setNonBlocking: () => 0,
    openDatagramSocket: unused,
    setOption: unused,
    close: unused,
    send: unused,
    receive: unused,
    poll: unused,
    sleepMicroseconds: unused,
    openWaker: unused,
  };
  const scratch = arena.take(deviceRoom);
  const device = openOffloadDevice(arena, calls, 7, 'udp', { scratch, onStep: (text) => notes.push(text) });
  const joiner = createJoiner(arena, (at, length) => device.write(at, length));
  const place = arena.take(65_536) + 64;
  return {
    device,
    written,
    notes,
    send: (packets: readonly Buffer[]) => {
      for (const one of packets) {
        arena.bytes.set(one, place);
        joiner.add(place, one.length);
      }
      joiner.flush();
    },
  };
}

const stream = (version: 4 | 6, count: number) =>
  Array.from({ length: count }, (_, index) =>
    packet({
      version,
      transport: 'tcp',
      flow: 1,
      payload: Buffer.alloc(1_000, index + 1),
      sequence: 5_000 + 1_000 * index,
      id: 9 + index,
    }),
  );
const isJoined = (one: Buffer) => one[1] !== 0;

test.each([4, 6] as const)(
  'where the system refuses joined packets (IPv%i), their segments are written as they came, and no more packets are joined',
  (version) => {
    const packets = stream(version, 12);
    const { device, written, notes, send } = deviceThat((one) => !isJoined(one));
    expect(device.takesJoined).toBe(true);
    send(packets);
    expect(written.map((one) => one.subarray(virtioBytes).toString('hex'))).toEqual(
      packets.map((one) => one.toString('hex')),
    );
    expect(written.every((one) => one.subarray(0, virtioBytes).every((byte) => byte === 0))).toBe(true);
    expect(device.takesJoined).toBe(false);
    expect(notes).toEqual(['the system refuses joined packets: they are written one at a time']);
  },
);

test('where the system takes joined packets, or refuses what is not joined, nothing changes', () => {
  const packets = stream(4, 12);
  const taking = deviceThat(() => true);
  taking.send(packets);
  expect(taking.written.map(isJoined)).toEqual([true]);
  expect(taking.device.takesJoined).toBe(true);
  const refusing = deviceThat(isJoined);
  refusing.send(packets.slice(0, 1));
  expect(refusing.written).toEqual([]);
  expect(refusing.device.takesJoined).toBe(true);
});
