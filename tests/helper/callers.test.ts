import { afterEach, beforeEach, expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { greetAs as greet, type Caller } from './support/greet-as.ts';
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

const greetAs = (ids: Caller) => greet(net.lab.user, net.socket, ids);

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
