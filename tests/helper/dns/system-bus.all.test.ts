import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOnBus, type BusCall } from '../../../helper/linux/dns/system-bus.ts';
import { hasOwner, startMessageBus, type MessageBus } from '../../lab/desktop/message-bus.ts';

/** The helper's calls, on a real bus. */

let directory: string;
let bus: MessageBus;
let socket: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bus-'));
  bus = await startMessageBus(directory);
  socket = path.join(directory, 'bus');
});
afterAll(async () => {
  await bus?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const call = (member: string, signature: string, write: BusCall['write']): BusCall => ({
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
  member,
  signature,
  write,
});
/** Each service that the bus starts gets these variables: an array of pairs, as in what systemd-resolved is told. */
const setVariables = (variables: Record<string, string>) =>
  call('UpdateActivationEnvironment', 'a{ss}', (body) => {
    body.array(Object.entries(variables), 8, ([name, value]) => {
      body.string(name).string(value);
    });
  });
const request = (name: string) =>
  call('RequestName', 'su', (body) => {
    body.string(name).uint32(0);
  });

test('calls are made one after the other, and it succeeds once all have', async () => {
  await callOnBus(
    [request('test.waymaker.One'), setVariables({ A: '1', LONGER: 'ü' }), setVariables({})],
    socket,
  );
  // The name was the connection's, which is closed again.
  await expect.poll(() => hasOwner(bus.env, 'test.waymaker.One')).toBe(false);
  expect(await hasOwner(bus.env, 'org.freedesktop.DBus'), 'positive control').toBe(true);
});

test('a call that is refused fails with its name and the reason, however many come before', async () => {
  const calls = [request('test.waymaker.One'), request('no name'), request('test.waymaker.Two')];
  await expect(callOnBus(calls, socket)).rejects.toThrow(
    'RequestName was refused: org.freedesktop.DBus.Error.InvalidArgs',
  );
  await expect(callOnBus([call('Nothing', '', () => undefined)], socket)).rejects.toThrow(
    'Nothing was refused',
  );
});

test('without a bus, or with somebody else in its place, it fails', async () => {
  await expect(callOnBus([], path.join(directory, 'none'))).rejects.toThrow('ENOENT');
  for (const answer of [
    'REJECTED EXTERNAL\r\n',
    `OK 0\r\nB${'\0'.repeat(40)}`,
    `OK 0\r\nl${'\xff'.repeat(40)}`,
  ]) {
    const file = path.join(directory, 'other');
    await rm(file, { force: true });
    const server = createServer((other) => {
      other.on('error', () => undefined).write(Buffer.from(answer, 'latin1'));
    });
    await new Promise<void>((resolve) => server.listen(file, resolve));
    await expect(callOnBus([], file)).rejects.toThrow('the bus');
    server.close();
  }
});
