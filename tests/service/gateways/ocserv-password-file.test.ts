import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/service/config.ts';
import { jobNames } from '../../../src/service/jobs/job-names.ts';
import type { GatewayLogin } from '../../../src/service/gateways/gateway-access.ts';
import { ocservPasswordFile } from '../../../src/service/gateways/ocserv-password-file.ts';
import { users } from '../../../src/service/database/schema.ts';
import { fits } from './crypt.ts';
import {
  databaseKinds,
  grantPlan,
  newDirectory,
  newEmail,
  newEnvironment,
  startTestService,
  TestDevice,
} from '../test-service.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await newDirectory();
  file = path.join(directory, 'passwords');
});

/** User name and hash of each line. */
const logins = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^([^:]+):\*:(.+)$/.exec(line)?.slice(1) ?? [line]);

describe('the file', () => {
  const hashOf = async (password: string) =>
    (await ocservPasswordFile(file).hashPasswords([password]))[0] ?? '';
  const publish = (...published: GatewayLogin[]) =>
    ocservPasswordFile(file).publish(new Map([['', published]]));

  test('a password’s hash is one that crypt(3) verifies, and differs each time', async () => {
    const password = '-n0-secret_at-all';
    const [one, two] = [await hashOf(password), await hashOf(password)];
    expect(one).not.toBe(two);
    expect(fits(password, one)).toBe(true);
    expect(fits(`${password}x`, one)).toBe(false);
  });

  test('ocpasswd, which comes with ocserv, reads and keeps its lines', async () => {
    const deviceId = randomUUID();
    const passwordHash = await hashOf('secret');
    await publish({ user: deviceId, passwordHash });
    execFileSync('ocpasswd', ['-c', file, 'admin'], { input: 'other\nother\n' });
    expect(logins()).toContainEqual([deviceId, passwordHash]);
    execFileSync('ocpasswd', ['-c', file, '-d', deviceId]);
    expect(logins().map(([name]) => name)).toEqual(['admin']);
  });

  test('only its owner may read it, and nothing else is left beside it', async () => {
    for (const password of ['one', 'two']) {
      await publish({ user: randomUUID(), passwordHash: await hashOf(password) });
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['passwords']);
  });

  test('lines of an administrator stay, lines of devices are replaced', async () => {
    writeFileSync(file, `admin:*:$5$salt$hash\n${randomUUID()}:*:$5$old$old`);
    const [deviceId, passwordHash] = [randomUUID(), await hashOf('secret')];
    await publish({ user: deviceId, passwordHash });
    expect(logins()).toEqual([
      ['admin', '$5$salt$hash'],
      [deviceId, passwordHash],
    ]);
    await publish();
    expect(logins()).toEqual([['admin', '$5$salt$hash']]);
  });

  test.each([
    { user: `${randomUUID()}\nroot:*:x` },
    { user: 'root' },
    { user: '' },
    { passwordHash: '' },
    { passwordHash: 'plain text' },
    { passwordHash: `$5$salt$${'x'.repeat(43)}\nroot:*:x` },
  ])('what does not fit in a line is never written: %j', async (wrong) => {
    const good = { user: randomUUID(), passwordHash: await hashOf('secret') };
    await publish(good);
    await expect(publish({ ...good, ...wrong })).rejects.toThrow('does not fit');
    expect(logins()).toEqual([[good.user, good.passwordHash]]);
  });
});

describe.each(databaseKinds)('gateway access on %s', (kind) => {
  test('a device that the database forgets is out, and a lost file comes back', async () => {
    const environment = await newEnvironment(kind);
    const first = await startTestService({ environment: { ...environment, ...passwordFile() } });
    const [stays, goes] = [new TestDevice(first), new TestDevice(first)];
    const [emailStays, emailGoes] = [newEmail(), newEmail()];
    await stays.signIn(emailStays);
    await goes.signIn(emailGoes);
    const before = logins();
    await first.service.database.delete(users).where(eq(users.email, emailGoes));
    await first.service.close();
    await rm(file);
    await using second = await startTestService({ environment: { ...environment, ...passwordFile() } });
    expect(logins()).toEqual(before.filter(([name]) => name === stays.deviceId));
    expect(await new TestDevice(second, stays).client.call('userInfo')).toMatchObject({ ok: true });
  });

  test('an ended trial shuts a device out, a plan lets it in again', async () => {
    await using running = await startTestService({
      kind,
      environment: { ...passwordFile(), WAYMAKER_TRIAL_HOURS: '1' },
    });
    const device = new TestDevice(running);
    const email = newEmail();
    await device.signIn(email);
    expect(logins().map(([name]) => name)).toEqual([device.deviceId]);
    const refresh = () => running.service.jobs.doNow(jobNames.gatewayAccess(readConfig(running.environment)));
    running.clock.advance({ hours: 1 });
    await refresh();
    await expect.poll(logins).toEqual([]);
    await grantPlan(running, email);
    await refresh();
    await expect.poll(() => logins().map(([name]) => name)).toEqual([device.deviceId]);
  });

  const passwordFile = () => ({ WAYMAKER_GATEWAY_PASSWORD_FILE: file });
});

test('two services that share a database and a file lose no line', async () => {
  const environment = {
    ...(await newEnvironment('postgresql')),
    WAYMAKER_GATEWAY_PASSWORD_FILE: file,
  };
  await using one = await startTestService({ environment });
  await using two = await startTestService({ environment });
  const devices = Array.from({ length: 8 }, (_, i) => new TestDevice(i % 2 ? one : two));
  await Promise.all(devices.map((device) => device.signIn(newEmail())));
  expect(logins().map(([name]) => name)).toEqual(devices.map(({ deviceId }) => deviceId).sort());
});
