import { closeSync, read, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import koffi from 'koffi';
import { expect, test } from 'vitest';
import { openDevice } from '../../../../helper/engine/own/process/device.ts';
import { packetHeaders } from '../../../../helper/engine/own/process/packet-headers.ts';

/** Two ends between which each write is one message, as with a device: AF_UNIX and SOCK_SEQPACKET of Linux. */
function createPair(): [near: number, far: number] {
  const socketpair = koffi.load(null).func('int socketpair(int, int, int, _Out_ int *)') as (
    ...given: unknown[]
  ) => number;
  const pair = new Int32Array(2);
  expect(socketpair(1, 5, 0, pair)).toBe(0);
  const [near = -1, far = -1] = pair;
  return [near, far];
}

async function readMessage(descriptor: number): Promise<Buffer> {
  const { bytesRead, buffer } = await promisify(read)(descriptor, Buffer.alloc(64), 0, 64, null);
  return buffer.subarray(0, bytesRead);
}

const ipv4 = Buffer.from([0x45, 0, 0, 20, 1, 2, 3]);
const ipv6 = Buffer.from([0x60, 0, 0, 0, 4, 5, 6]);
const neither = Buffer.from([0x15, 0, 0, 0]);

test.each([
  ['family', ipv4, Buffer.from([0, 0, 0, 2])],
  ['family', ipv6, Buffer.from([0, 0, 0, 30])],
  ['virtio', ipv4, Buffer.alloc(10)],
  ['virtio', ipv6, Buffer.alloc(10)],
] as const)(
  'with a header of the kind %s, packets of both versions pass both ways',
  async (kind, packet, header) => {
    const [near, far] = createPair();
    const packets: Buffer[] = [];
    const errors: Error[] = [];
    const device = openDevice({
      descriptor: near,
      header: packetHeaders[kind],
      onPacket: (one) => packets.push(one),
      onEnd: (error) => errors.push(error),
    });
    device.pass();
    writeSync(far, Buffer.concat([header, packet]));
    await expect.poll(() => packets).toEqual([packet]);
    device.write(packet);
    expect(await readMessage(far)).toEqual(Buffer.concat([header, packet]));
    closeSync(far);
    await expect.poll(() => errors.map(({ message }) => message)).toEqual(['it has ended']);
    closeSync(near);
  },
);

test('a packet that is neither IPv4 nor IPv6 has no family, and is dropped', async () => {
  const [near, far] = createPair();
  let isEnded = false;
  const device = openDevice({
    descriptor: near,
    header: packetHeaders.family,
    onPacket: () => undefined,
    onEnd: () => {
      isEnded = true;
    },
  });
  device.pass();
  device.write(neither);
  device.write(Buffer.alloc(0));
  device.write(ipv4);
  expect(await readMessage(far)).toEqual(Buffer.concat([Buffer.from([0, 0, 0, 2]), ipv4]));
  closeSync(far);
  await expect.poll(() => isEnded).toBe(true);
  closeSync(near);
});
