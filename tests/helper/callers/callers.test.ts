import { chmod } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { greetAs as greet, type Caller } from '../support/callers/greet-as.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { helloParams, openRaw } from '../support/callers/raw-client.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** A uid and a gid that no account has (Debian policy §9.2.2 leaves this range to nobody's accounts). */
const strangerId = 64_950;
/** The group `users` has the same gid on every Debian (base-passwd). */
const usersGid = 100;

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
});

afterEach(() => net.end('SIGTERM'));

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const greetAs = (ids: Caller) => greet(net.lab.user, net.socket, ids);

const refusal = { answer: { error: { code: helperError.permissionDenied } }, letGo: true };
/** By the kernel: the helper never hears of it. */
const noEntry = { answer: null, letGo: true, error: 'EACCES' };
const welcome = { answer: { result: { protocolVersion: 1 } }, letGo: false };

test('a stranger cannot connect, and root can', async () => {
  await net.start();
  expect(await greetAs({ uid: strangerId, gid: strangerId })).toEqual(noEntry);
  // Groups that count elsewhere do not count here.
  expect(await greetAs({ uid: strangerId, gid: 0 })).toEqual(noEntry);
  const root = await openRaw(net.socket);
  expect(await root.request('hello', helloParams)).toMatchObject({ result: { protocolVersion: 1 } });
  root.socket.destroy();
});

test('members of the allowed group may call, by their primary or any other group', async () => {
  await net.start({ args: ['--allow-group', 'users'] });
  expect(await greetAs({ uid: strangerId, gid: usersGid })).toMatchObject(welcome);
  expect(await greetAs({ uid: strangerId, gid: strangerId, groups: usersGid })).toMatchObject(welcome);
  expect(await greetAs({ uid: strangerId, gid: strangerId, groups: usersGid + 1 })).toEqual(noEntry);
});

test('an allowed user may call, and nobody else', async () => {
  await net.start({ args: ['--allow-user', String(strangerId), '--allow-user', String(strangerId - 1)] });
  expect(await greetAs({ uid: strangerId, gid: strangerId })).toMatchObject(welcome);
  expect(await greetAs({ uid: strangerId - 1, gid: strangerId })).toMatchObject(welcome);
  expect(await greetAs({ uid: strangerId + 1, gid: strangerId })).toEqual(noEntry);
});

if (isExhaustive)
  test('a group that does not exist allows nobody', async () => {
    await net.start({ args: ['--allow-group', 'no-such-group'] });
    expect(await greetAs({ uid: strangerId, gid: strangerId })).toEqual(noEntry);
  });

test('where somebody has opened the socket’s file, a stranger is told so and let go', async () => {
  await net.start();
  await chmod(net.socket, 0o666);
  expect(await greetAs({ uid: strangerId, gid: strangerId })).toMatchObject(refusal);
  const talkative = { uid: strangerId, gid: strangerId, padding: 1_000_000 };
  expect(await greetAs(talkative)).toMatchObject({ answer: null, letGo: true });
});
