import { once } from 'node:events';
import { readdir, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { casesOf, isExhaustive } from '../lab/runs/thoroughness.ts';
import { spawnProgram, startProgram } from './service-process.ts';
import { databaseKinds, newEmail, newEnvironment, startTestService, TestDevice } from './test-service.ts';

test.each(databaseKinds.filter((kind) => kind === 'postgresql' || isExhaustive))(
  'a service on %s that was closed and started again has lost nothing',
  async (kind) => {
    const environment = await newEnvironment(kind);
    const first = await startTestService({ environment });
    const email = newEmail();
    const waiting = new TestDevice(first);
    const authId = await waiting.requestCode(email);
    const code = await waiting.readCode(email);
    await first.service.close();
    await using second = await startTestService({ environment, clock: first.clock });
    expect(await new TestDevice(second, waiting).verify(authId, code)).toMatchObject({ ok: true });
  },
);

// PostgreSQL is not killed with the service.
test.each(databaseKinds.filter((kind) => kind === 'pglite' || isExhaustive))(
  'a service on %s that was killed and started again has lost nothing',
  async (kind) => {
    const environment = await newEnvironment(kind);
    const first = await startProgram('index.ts', environment);
    const device = new TestDevice(first);
    const email = newEmail();
    await device.signIn(email);
    await first.kill();
    const clock = { now: () => new Date(), advance: () => undefined };
    await using second = await startTestService({ environment, clock });
    const result = await new TestDevice(second, device).client.call('userInfo');
    expect(result).toMatchObject({ ok: true, data: { email } });
  },
);

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

test.each(casesOf({ usual: ['PG_VERSION'], all: ['PG_VERSION', 'global/pg_control'] }))(
  'a PGlite database that has lost %s is left as it is, and no new one is made over it',
  async (lost) => {
    const environment = await newEnvironment('pglite');
    const folder = path.join(environment.WAYMAKER_DATA_DIR, 'database');
    const filesOf = async () =>
      (await readdir(folder, { recursive: true })).filter((name) => !/postmaster/.test(name)).sort();
    await rm(path.join(folder, lost), { recursive: true });
    const left = await filesOf();
    await expect(startTestService({ environment })).rejects.toThrow(
      `WAYMAKER_DATA_DIR: the database in ${folder} cannot be opened, and was left as it is: `,
    );
    expect(await filesOf()).toEqual(left);
  },
);

type Unusable = [what: string, variables: NodeJS.ProcessEnv, named: string];
/** With a secret in it. */
const usual: Unusable[] = [
  [
    'a database that cannot be reached',
    { DATABASE_URL: 'postgresql://waymaker:a-secret@127.0.0.1:1/x' },
    'DATABASE_URL: connect ECONNREFUSED',
  ],
];
const all: Unusable[] = [
  ...usual,
  ['a port that is none', { WAYMAKER_SERVICE_PORT: '99999' }, 'WAYMAKER_SERVICE_PORT'],
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

test('a service whose port is taken says why', async () => {
  await using first = await startTestService({ kind: 'postgresql' });
  const { port } = new URL(first.url);
  const why = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  const second = startTestService({ kind: 'postgresql', environment: { WAYMAKER_SERVICE_PORT: port } });
  await expect(second).rejects.toThrow(`WAYMAKER_SERVICE_PORT: ${why}`);
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
