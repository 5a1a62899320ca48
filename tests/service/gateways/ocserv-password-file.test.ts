import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/service/config.ts';
import { jobNames } from '../../../src/service/jobs/job-names.ts';
import { ocservPasswordFile } from '../../../src/service/gateways/ocserv-password-file.ts';
import { users } from '../../../src/service/database/schema.ts';
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

/** Whether crypt(3) makes this hash of the password; computed by Perl's crypt, that of the C library. */
function fits(password: string, hash: string): boolean {
  const script = 'print crypt($ARGV[0], $ARGV[1])';
  // A token can begin with a hyphen.
  return execFileSync('perl', ['-e', script, '--', password, hash], { encoding: 'utf8' }) === hash;
}

describe('the file', () => {
  test('a password’s hash is one that crypt(3) verifies, and differs each time', async () => {
    const gateway = ocservPasswordFile(file);
    const password = '-n0-secret_at-all';
    const [one, two] = [await gateway.hashPassword(password), await gateway.hashPassword(password)];
    expect(one).not.toBe(two);
    expect(fits(password, one)).toBe(true);
    expect(fits(`${password}x`, one)).toBe(false);
  });

  test('ocpasswd, which comes with ocserv, reads and keeps its lines', async () => {
    const gateway = ocservPasswordFile(file);
    const deviceId = randomUUID();
    const passwordHash = await gateway.hashPassword('secret');
    await gateway.publish([{ deviceId, passwordHash, items: [] }], []);
    execFileSync('ocpasswd', ['-c', file, 'admin'], { input: 'other\nother\n' });
    expect(logins()).toContainEqual([deviceId, passwordHash]);
    execFileSync('ocpasswd', ['-c', file, '-d', deviceId]);
    expect(logins().map(([name]) => name)).toEqual(['admin']);
  });

  test('only its owner may read it, and nothing else is left beside it', async () => {
    const gateway = ocservPasswordFile(file);
    for (const password of ['one', 'two']) {
      await gateway.publish(
        [{ deviceId: randomUUID(), passwordHash: await gateway.hashPassword(password), items: [] }],
        [],
      );
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['passwords']);
  });

  test('lines of an administrator stay, lines of devices are replaced', async () => {
    const gateway = ocservPasswordFile(file);
    writeFileSync(file, `admin:*:$5$salt$hash\n${randomUUID()}:*:$5$old$old`);
    const [deviceId, passwordHash] = [randomUUID(), await gateway.hashPassword('secret')];
    await gateway.publish([{ deviceId, passwordHash, items: [] }], []);
    expect(logins()).toEqual([
      ['admin', '$5$salt$hash'],
      [deviceId, passwordHash],
    ]);
    await gateway.publish([], []);
    expect(logins()).toEqual([['admin', '$5$salt$hash']]);
  });

  test.each([
    { deviceId: `${randomUUID()}\nroot:*:x` },
    { deviceId: 'root' },
    { deviceId: '' },
    { passwordHash: '' },
    { passwordHash: 'plain text' },
    { passwordHash: `$5$salt$${'x'.repeat(43)}\nroot:*:x` },
  ])('what does not fit in a line is never written: %j', async (wrong) => {
    const gateway = ocservPasswordFile(file);
    const good = { deviceId: randomUUID(), passwordHash: await gateway.hashPassword('secret'), items: [] };
    await gateway.publish([good], []);
    await expect(gateway.publish([{ ...good, ...wrong }], [])).rejects.toThrow('does not fit');
    expect(logins()).toEqual([[good.deviceId, good.passwordHash]]);
  });
});

describe.each(databaseKinds)('gateway access on %s', (kind) => {
  test('a device gets in with its token, and only with the newest', async () => {
    await using running = await startTestService({ kind, environment: passwordFile() });
    const [device, other] = [new TestDevice(running), new TestDevice(running)];
    const former = await device.signIn(newEmail());
    await other.signIn(newEmail());
    const email = newEmail();
    const token = await device.signIn(email);
    const found = logins();
    const hash = found.find(([name]) => name === device.deviceId)?.[1] ?? '';
    expect(found).toHaveLength(2);
    expect(fits(token, hash)).toBe(true);
    expect(fits(former, hash)).toBe(false);
  });

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
