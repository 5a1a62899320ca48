import { closeSync, writeSync } from 'node:fs';
import koffi from 'koffi';
import { expect, test } from 'vitest';
import { constants, layouts } from '../../../../helper/macos/calls/darwin.ts';
import { createLibc, type Libc } from '../../../../helper/macos/calls/libc.ts';
import { createRouteCalls } from '../../../../helper/macos/calls/routing-socket.ts';

/** A pair of sockets in the place of a routing socket, whose far end the test has. */
function createPair(): { libc: Libc; far: number } {
  const socketpair = koffi.load(null).func('int socketpair(int, int, int, _Out_ int *)') as (
    ...given: unknown[]
  ) => number;
  const pair = new Int32Array(2);
  // AF_UNIX and SOCK_STREAM of Linux.
  expect(socketpair(1, 1, 0, pair)).toBe(0);
  const [near = -1, far = -1] = pair;
  return { libc: { ...createLibc(null), socket: () => near, setOption: () => undefined }, far };
}

function message(type: number): Buffer {
  const encoded = Buffer.alloc(layouts.rt_msghdr.size);
  encoded.writeUInt16LE(encoded.length, layouts.rt_msghdr.rtm_msglen);
  encoded.writeUInt8(constants.RTM_VERSION, layouts.rt_msghdr.rtm_version);
  encoded.writeUInt8(type, layouts.rt_msghdr.rtm_type);
  return encoded;
}

test('changes are reported until the watch ends, except look-ups without a result', async () => {
  const { libc, far } = createPair();
  let told = 0;
  const errors: Error[] = [];
  const stop = createRouteCalls(libc).watch(
    () => {
      told += 1;
    },
    (error) => errors.push(error),
  );
  writeSync(far, message(constants.RTM_MISS));
  writeSync(far, Buffer.concat([message(constants.RTM_MISS), message(constants.RTM_ADD)]));
  await expect.poll(() => told).toBe(1);
  stop();
  stop();
  closeSync(far);
  expect(errors).toEqual([]);
});

test('a socket that ends by itself is an error', async () => {
  const { libc, far } = createPair();
  const errors: Error[] = [];
  createRouteCalls(libc).watch(
    () => undefined,
    (error) => errors.push(error),
  );
  closeSync(far);
  await expect.poll(() => errors.map(({ message: text }) => text)).toEqual(['the routing socket has ended']);
});
