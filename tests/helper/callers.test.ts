import { afterEach, beforeEach, expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { createHelperLab, type HelperLab } from './support/helper-lab.ts';
import { helloParams, openRaw } from './support/raw-client.ts';

/** A uid and a gid that no account has (Debian policy §9.2.2 leaves this range to nobody's accounts). */
const strangerId = 64_950;
/** The group `users` has the same gid on every Debian (base-passwd). */
const usersGid = 100;

let net: HelperLab;

beforeEach(async () => {
  net = await createHelperLab({ gateway: false });
});

afterEach(async () => {
  await net[Symbol.asyncDispose]();
});

/** Says hello as a process of another user and groups, and resolves to the answer and whether it was let go. */
async function greetAs(ids: {
  uid: number;
  gid: number;
  groups?: number;
  /** Bytes that are sent beside what a hello needs. */
  padding?: number;
}): Promise<{ answer: unknown; letGo: boolean }> {
  const script = `
    const net = require('node:net');
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: ${JSON.stringify(helloParams)}, padding: 'x'.repeat(${ids.padding ?? 0}) });
    const socket = net.connect(process.argv[1]);
    let text = '';
    socket.on('data', (data) => {
      text += data;
      // Welcome: nothing more will come. Otherwise the end has to.
      if (text.includes('"result"')) finish(false);
    });
    const finish = (letGo) => {
      const [, answer = 'null'] = text.split('\\r\\n\\r\\n');
      process.stdout.write(JSON.stringify({ answer: JSON.parse(answer), letGo }));
      process.exit(0);
    };
    socket.on('close', () => finish(true));
    socket.on('error', () => {});
    socket.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
  `;
  const identity = [
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    ids.groups === undefined ? '--clear-groups' : `--groups=${ids.groups}`,
  ];
  const stdout = await net.lab.user.run([
    'setpriv',
    ...identity,
    '--',
    process.execPath,
    '-e',
    script,
    net.socket,
  ]);
  return JSON.parse(stdout) as { answer: unknown; letGo: boolean };
}

const refusal = { answer: { error: { code: helperError.permissionDenied } }, letGo: true };
const welcome = { answer: { result: { protocolVersion: 1 } }, letGo: false };

test('a stranger is told so and let go; root is not', async () => {
  await net.start();
  expect(await greetAs({ uid: strangerId, gid: strangerId })).toMatchObject(refusal);
  // Groups that count elsewhere do not count here.
  expect(await greetAs({ uid: strangerId, gid: 0 })).toMatchObject(refusal);
  const root = await openRaw(net.socket);
  expect(await root.request('hello', helloParams)).toMatchObject({ result: { protocolVersion: 1 } });
  root.socket.destroy();
});

test('a stranger is not listened to for long', async () => {
  await net.start();
  const stranger = { uid: strangerId, gid: strangerId, padding: 1_000_000 };
  expect(await greetAs(stranger)).toEqual({ answer: null, letGo: true });
});

test('an allowed user may call, and nobody else', async () => {
  await net.start({ args: ['--allow-uid', String(strangerId)] });
  expect(await greetAs({ uid: strangerId, gid: strangerId })).toMatchObject(welcome);
  expect(await greetAs({ uid: strangerId + 1, gid: strangerId })).toMatchObject(refusal);
});

test('members of the allowed group may call, by their primary or any other group', async () => {
  await net.start({ args: ['--allow-group', 'users'] });
  expect(await greetAs({ uid: strangerId, gid: usersGid })).toMatchObject(welcome);
  expect(await greetAs({ uid: strangerId, gid: strangerId, groups: usersGid })).toMatchObject(welcome);
  expect(await greetAs({ uid: strangerId, gid: strangerId, groups: usersGid + 1 })).toMatchObject(refusal);
});

test('a group that does not exist allows nobody', async () => {
  await net.start({ args: ['--allow-group', 'no-such-group'] });
  expect(await greetAs({ uid: strangerId, gid: strangerId })).toMatchObject(refusal);
});
