import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAddressRace } from '../../../../src/main/gateway/address-race.ts';

const accepted: Socket[] = [];
const server = createServer((socket) => {
  accepted.push(socket);
  socket.on('error', () => undefined);
});
let gateway: { host: string; port: number };
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  gateway = { host: 'gw.example', port: (server.address() as AddressInfo).port };
});
afterAll(() => {
  for (const socket of accepted) socket.destroy();
  server.close();
});
beforeEach(() => {
  opened.length = 0;
});

const opened: string[] = [];
/** Some addresses are silent, where no network is; others refuse; one is slow, and 127.0.0.1 accepts. */
const race = () =>
  createAddressRace((to, address) => {
    opened.push(address);
    if (address.startsWith('silent')) return new Promise(() => undefined);
    if (address === 'no-route') return Promise.reject(new Error('no route'));
    return Promise.resolve(connect({ host: address, port: address === '127.0.0.2' ? 1 : to.port }));
  });
const signal = new AbortController().signal;

test('an address that answers comes before those that are silent, refuse, or have no route', async () => {
  for (const others of [['silent'], ['127.0.0.2'], ['no-route'], ['silent', '127.0.0.2', 'silent-too']]) {
    const addresses = [...others, '127.0.0.1'];
    expect(await race().order(gateway, addresses, signal)).toEqual(['127.0.0.1', ...others]);
  }
});

test('the connection that won the race is used once; the next one is a new one', async () => {
  const { order, connect: open } = race();
  await order(gateway, ['silent', '127.0.0.1'], signal);
  expect(opened).toEqual(['silent', '127.0.0.1']);
  const first = await open(gateway, '127.0.0.1');
  expect(first.connecting).toBe(false);
  expect(opened).toHaveLength(2);
  const second = await open(gateway, '127.0.0.1');
  expect(opened).toHaveLength(3);
  first.destroy();
  second.destroy();
});

test('where the first address answers, no other is tried, and nothing is opened for a single one', async () => {
  const addresses = ['127.0.0.1', 'silent'];
  expect(await race().order(gateway, addresses, signal)).toEqual(addresses);
  expect(opened).toEqual(['127.0.0.1']);
  expect(await race().order(gateway, ['silent'], signal)).toEqual(['silent']);
  expect(opened).toEqual(['127.0.0.1']);
});

test('addresses keep their order where none answers, or nobody waits any more', async () => {
  expect(await race().order(gateway, ['127.0.0.2', 'no-route'], signal)).toEqual(['127.0.0.2', 'no-route']);
  const gone = AbortSignal.abort();
  expect(await race().order(gateway, ['silent', '127.0.0.1'], gone)).toEqual(['silent', '127.0.0.1']);
  expect(opened).not.toContain('silent');
});
