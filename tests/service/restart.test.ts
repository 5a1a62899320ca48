import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { casesOf, isExhaustive } from '../lab/runs/thoroughness.ts';
import { spawnProgram, startProgram } from './service-process.ts';
import { databaseKinds, newEmail, newEnvironment, startTestService, TestDevice } from './test-service.ts';

describe.each(databaseKinds)('a service on %s', (kind) => {
  test('that was closed and started again has lost nothing', async () => {
    const environment = await newEnvironment(kind);
    const first = await startTestService({ environment });
    const device = new TestDevice(first);
    await device.signIn(newEmail());
    const account = [await device.client.call('userInfo'), await device.client.call('myService')];
    const email = newEmail();
    const waiting = new TestDevice(first);
    const authId = await waiting.requestCode(email);
    const code = await waiting.readCode(email);
    await first.service.close();
    await using second = await startTestService({ environment, clock: first.clock });
    const same = new TestDevice(second, device);
    expect([await same.client.call('userInfo'), await same.client.call('myService')]).toEqual(account);
    expect(account).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await new TestDevice(second, waiting).verify(authId, code)).toMatchObject({ ok: true });
  });

  // Two processes start one after the other, which takes a busy machine long.
  test('that was killed and started again has lost nothing', async () => {
    const environment = await newEnvironment(kind);
    const first = await startProgram('index.ts', environment);
    const device = new TestDevice(first);
    const email = newEmail();
    await device.signIn(email);
    await first.kill();
    const second = await startProgram('index.ts', environment);
    const result = await new TestDevice(second, device).client.call('userInfo');
    expect(result).toMatchObject({ ok: true, data: { email } });
    expect(await second.end()).toEqual({ code: 0, output: '' });
  });
});

test('a directory is one service’s only', async () => {
  const environment = await newEnvironment('pglite');
  await using first = await startTestService({ environment });
  await expect(startTestService({ environment })).rejects.toThrow('is used by another process');
  await new TestDevice(first).signIn(newEmail());
});

if (isExhaustive)
  test('a directory with an endless path is locked as well', async () => {
    const environment = await newEnvironment('pglite');
    const deep = environment.WAYMAKER_DATA_DIR + 'x'.repeat(120);
    await rename(environment.WAYMAKER_DATA_DIR, deep);
    await using first = await startTestService({ environment: { ...environment, WAYMAKER_DATA_DIR: deep } });
    const again = startTestService({ environment: { ...environment, WAYMAKER_DATA_DIR: deep } });
    await expect(again).rejects.toThrow('is used by another process');
    await new TestDevice(first).signIn(newEmail());
  });

test('a caller who never finishes their request does not keep a service from closing', async () => {
  const environment = await newEnvironment('postgresql');
  const running = await startTestService({ environment });
  const { port } = new URL(running.url);
  const caller = connect(Number(port), '127.0.0.1');
  await once(caller, 'connect');
  caller.write(
    'POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  );
  caller.on('error', () => undefined);
  const answered = await new TestDevice(running).client.call('basicInfo');
  expect(answered.ok).toBe(true);
  const cut = once(caller, 'close');
  await running.service.close();
  await cut;
});

type Unusable = [what: string, variables: NodeJS.ProcessEnv, named: string];
/** What is read, what is opened, and a secret in it. */
const usual: Unusable[] = [
  ['a port that is none', { WAYMAKER_SERVICE_PORT: '99999' }, 'WAYMAKER_SERVICE_PORT'],
  [
    'a database that cannot be reached',
    { DATABASE_URL: 'postgresql://waymaker:a-secret@127.0.0.1:1/x' },
    'DATABASE_URL: connect ECONNREFUSED',
  ],
];
const all: Unusable[] = [
  ...usual,
  ['an SMTP server without a sender', { SMTP_URL: 'smtp://127.0.0.1' }, 'MAIL_FROM'],
  ['a database of another make', { DATABASE_URL: 'mysql://127.0.0.1/x' }, 'DATABASE_URL'],
  ['a seed file that is not there', { WAYMAKER_SEED_FILE: '/nowhere' }, 'WAYMAKER_SEED_FILE: /nowhere'],
  ['no folder of lists', { WAYMAKER_ROUTE_LISTS: '/nowhere' }, 'WAYMAKER_ROUTE_LISTS: ENOENT'],
  ['no file of labels', { WAYMAKER_USER_LABELS_FILE: '/nowhere' }, 'WAYMAKER_USER_LABELS_FILE: /nowhere'],
];

test.each(casesOf({ usual, all }))('with %s the process ends and says why', async (_, variables, named) => {
  const environment = { ...(await newEnvironment('postgresql')), ...variables };
  const child = spawnProgram('index.ts', environment);
  const [errors, [exitCode]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(exitCode).toBe(1);
  expect(errors).toContain(named);
  expect(errors).not.toMatch(/^ +at |a-secret/m);
});

test('a process whose port is taken ends and says why', async () => {
  await using first = await startTestService({ kind: 'postgresql' });
  const { port } = new URL(first.url);
  const variables = { ...(await newEnvironment('postgresql')), WAYMAKER_SERVICE_PORT: port };
  const child = spawnProgram('index.ts', variables);
  const [errors, [exitCode]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(exitCode).toBe(1);
  const why = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  expect(errors).toBe(`WAYMAKER_SERVICE_PORT: ${why}\n`);
  const mailbox = startTestService({ kind: 'postgresql', environment: { WAYMAKER_MAILBOX_PORT: port } });
  await expect(mailbox).rejects.toThrow(`WAYMAKER_MAILBOX_PORT: ${why}`);
});

test.each([
  ['WAYMAKER_TRAFFIC_SPOOL', '/proc/x/y', 'ENOENT'],
  ['WAYMAKER_SERVICE_KEY_FILE', '/proc/x/y', 'ENOENT'],
  ['WAYMAKER_GATEWAY_PASSWORD_FILE', '/dev/null/x', 'ENOTDIR'],
  ['WAYMAKER_SERVICE_HOST', '192.0.2.1', 'listen EADDRNOTAVAIL'],
  ['WAYMAKER_SERVICE_SOCKET', tmpdir(), 'listen EADDRINUSE'],
])('%s that is %s is named, and why it cannot be', async (name, value, why) => {
  const starting = startTestService({ kind: 'postgresql', environment: { [name]: value } });
  await expect(starting).rejects.toThrow(`${name}: ${why}`);
});
