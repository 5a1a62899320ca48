import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import koffi from 'koffi';
import { describe, expect, test } from 'vitest';
import { createArena } from '../../../../../helper/engine/own/data-path/arena.ts';
import {
  createDatagramSocket,
  createSocketPollSet,
} from '../../../../../helper/engine/own/data-path/linux/datagram-socket.ts';
import { bestLimits } from '../../../../../helper/engine/own/data-path/messages.ts';
import {
  createReceiveSlots,
  createSystemCalls,
  errno,
  pollIn,
  slotBytes,
  type SystemCalls,
} from '../../../../../helper/engine/own/data-path/linux/system-calls.ts';

const slotCount = 4;

/** A real socket to a port of this machine; `change` may play a system that refuses something. */
function socketTo(port: number, change: (calls: SystemCalls) => SystemCalls = (calls) => calls) {
  const arena = createArena((slotCount + 4) * (slotBytes + 64));
  let joined = 0;
  const real = createSystemCalls(arena);
  const calls = change({
    ...real,
    receive(descriptor, into) {
      const count = real.receive(descriptor, into);
      for (let index = 0; index < count; index += 1)
        if (into.segmentOf(index) < into.lengthOf(index)) joined += 1;
      return count;
    },
  });
  const steps: string[] = [];
  const slots = createReceiveSlots(arena, slotCount);
  const socket = createDatagramSocket(arena, calls, createSocketPollSet(arena), {
    place: { address: [127, 0, 0, 1], port },
    limits: bestLimits,
    slots,
    onWaiting: () => undefined,
    onStep: (text) => steps.push(text),
  });
  const place = arena.take(slotBytes);
  return {
    steps,
    sendMany(bytes: Buffer, size: number) {
      arena.bytes.set(bytes, place);
      socket.sendMany(place, bytes.length, size);
    },
    /** How often the system has joined some. */
    joined: () => joined,
    /** Waits for datagrams until there are so many. */
    receive(count: number): Buffer[] {
      const received: Buffer[] = [];
      const poll = { at: arena.take(64), room: 1, count: 1 };
      while (received.length < count) {
        arena.view.setInt32(poll.at, socket.descriptor, true);
        arena.view.setInt16(poll.at + 4, pollIn, true);
        if (calls.poll(poll, 5_000) <= 0) break;
        socket.receive((at, length) => received.push(Buffer.from(arena.bytes.subarray(at, at + length))));
      }
      return received;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

/** Datagrams of this size with different content, the last one shorter. */
const pieces = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(index === count - 1 ? size - 7 : size, index + 1));

async function far() {
  const socket = createSocket('udp4');
  const received: Buffer[] = [];
  socket.on('message', (datagram) => received.push(datagram));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    received,
    port: socket.address().port,
    async until(count: number) {
      while (received.length < count) await once(socket, 'message');
    },
    [Symbol.dispose]: () => void socket.close(),
  };
}

describe('datagrams that are sent at once', () => {
  test('arrive one by one', async () => {
    using to = await far();
    using socket = socketTo(to.port);
    const sent = pieces(40, 1_400);
    socket.sendMany(Buffer.concat(sent), 1_400);
    await to.until(sent.length);
    expect(to.received).toEqual(sent);
    expect(socket.steps).toEqual([]);
  });

  test.each(['EIO', 'EINVAL', 'EMSGSIZE'] as const)(
    'arrive one by one where the system refuses them with %s, also when it has taken others before',
    async (error) => {
      let refuses = false;
      using to = await far();
      using socket = socketTo(to.port, (calls) => ({
        ...calls,
        send: (descriptor, at, length, segment) =>
          segment > 0 && refuses ? -errno[error] : calls.send(descriptor, at, length, segment),
      }));
      const sent = pieces(10, 1_400);
      socket.sendMany(Buffer.concat(sent), 1_400);
      await to.until(10);
      refuses = true;
      socket.sendMany(Buffer.concat(sent), 1_400);
      await to.until(20);
      expect(to.received).toEqual([...sent, ...sent]);
      expect(socket.steps).toEqual([`datagrams are sent one at a time: ${error}`]);
    },
  );
});

/** A socket with a port of its own: what our own ones leave to the system. */
function socketFromTo(from: number, to: number): number {
  const library = koffi.load(null);
  const open = library.func('int socket(int, int, int)') as (...numbers: number[]) => number;
  const place = (port: number) => {
    const address = Buffer.alloc(16);
    address.writeUInt16LE(2, 0);
    address.writeUInt16BE(port, 2);
    address.set([127, 0, 0, 1], 4);
    return address;
  };
  const named = (name: string) =>
    library.func(`int ${name}(int, uint8_t *, unsigned int)`) as (
      at: number,
      to: Buffer,
      size: number,
    ) => number;
  const descriptor = open(2, 2 | 0x800 | 0x80000, 0);
  for (const [name, port] of [
    ['bind', from],
    ['connect', to],
  ] as const)
    if (named(name)(descriptor, place(port), 16) !== 0) throw new Error(`${name}: errno ${koffi.errno()}`);
  return descriptor;
}

test('datagrams that the system has joined are taken apart: as many as it joins, and of several sizes at once', async () => {
  // One socket sends many at once to the other, which gets them joined on loopback.
  const meeting = createSocket('udp4');
  meeting.bind(0, '127.0.0.1');
  await once(meeting, 'listening');
  const { port } = meeting.address();
  using receiver = socketTo(port);
  const asked = once(meeting, 'message');
  receiver.sendMany(Buffer.from('here'), 100);
  const [, { port: to }] = (await asked) as [Buffer, { port: number }];
  await new Promise<void>((resolve) => {
    meeting.close(resolve);
  });
  using sender = socketTo(to, (calls) => ({
    ...calls,
    openDatagramSocket: () => socketFromTo(port, to),
  }));
  const sent = [...pieces(64, 1_000), ...pieces(46, 1_400), ...pieces(3, 400)];
  sender.sendMany(Buffer.concat(sent.slice(0, 64)), 1_000);
  sender.sendMany(Buffer.concat(sent.slice(64, 110)), 1_400);
  sender.sendMany(Buffer.concat(sent.slice(110)), 400);
  expect(receiver.receive(sent.length)).toEqual(sent);
  expect(receiver.joined()).toBeGreaterThan(0);
  expect([...sender.steps, ...receiver.steps]).toEqual([]);
});
