import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import type { GatewayLogin } from '../../../src/service/gateways/gateway-port.ts';
import { ocservPasswordFile } from '../../../src/service/gateways/ocserv-password-file.ts';
import { users } from '../../../src/service/database/schema/account.ts';
import { fits } from './crypt.ts';
import {
  databaseKindsOfRun,
  grantPlan,
  newDirectory,
  newEmail,
  newEnvironment,
  reviewGateways,
  startTestService,
  TestDevice,
} from '../test-service.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await newDirectory();
  file = path.join(directory, 'passwords');
});

/** User name and hash of each line that is one to ocserv: it passes over what has no colon. */
const logins = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => /^([^:]+):\*:(.+)$/.exec(line)?.slice(1) ?? [line]);
const userNames = () => logins().map(([name = '']) => name);

describe('the file', () => {
  const hashOf = async (password: string) =>
    (await ocservPasswordFile(file).hashPasswords([password]))[0] ?? '';
  const letIn = (...published: GatewayLogin[]) =>
    ocservPasswordFile(file).change('', { users: [], logins: published });
  const shutOut = (...out: string[]) => ocservPasswordFile(file).change('', { users: out, logins: [] });

  test.each(['', 'a', '-n0-secret_at-all', 'x'.repeat(43), 'ü€'.repeat(40)])(
    'a password’s hash is one that crypt(3) verifies, and differs each time: %j',
    async (password) => {
      const [one, two] = [await hashOf(password), await hashOf(password)];
      expect(one).not.toBe(two);
      expect(fits(password, one)).toBe(true);
      expect(fits(`${password}x`, one)).toBe(false);
    },
  );

  test('ocpasswd, which comes with ocserv, reads and keeps its lines', async () => {
    const deviceId = randomUUID();
    const passwordHash = await hashOf('secret');
    await letIn({ user: deviceId, passwordHash });
    execFileSync('ocpasswd', ['-c', file, 'admin'], { input: 'other\nother\n' });
    expect(logins()).toContainEqual([deviceId, passwordHash]);
    execFileSync('ocpasswd', ['-c', file, '-d', deviceId]);
    expect(userNames()).toEqual(['admin']);
  });

  test('only its owner may read it, and nothing else is left beside it', async () => {
    for (const password of ['one', 'two']) {
      await letIn({ user: randomUUID(), passwordHash: await hashOf(password) });
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['passwords']);
  });

  test('lines of an administrator stay, lines of devices go and come', async () => {
    const [goes, stays, comes] = [randomUUID(), randomUUID(), randomUUID()];
    const passwordHash = await hashOf('secret');
    // Without an end of the last line, as editors leave it.
    writeFileSync(file, `admin:*:$5$salt$hash\n${goes}:*:${passwordHash}\n${stays}:*:${passwordHash}`);
    await ocservPasswordFile(file).change('', { users: [goes], logins: [{ user: comes, passwordHash }] });
    expect(logins()).toEqual([
      ['admin', '$5$salt$hash'],
      [stays, passwordHash],
      [comes, passwordHash],
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(goes);
    await shutOut(stays, comes, randomUUID());
    expect(logins()).toEqual([['admin', '$5$salt$hash']]);
  });

  test('of one user there is one line, however often the password changes', async () => {
    const user = randomUUID();
    const hashes = await ocservPasswordFile(file).hashPasswords(['one', 'two', 'three']);
    for (const passwordHash of hashes) await letIn({ user, passwordHash });
    expect(logins()).toEqual([[user, hashes[2]]]);
  });

  test('two that write the same file in turns, and an editor beside them, see each other’s lines', async () => {
    const [one, two] = [ocservPasswordFile(file), ocservPasswordFile(file)];
    const passwordHash = await hashOf('secret');
    const people = Array.from({ length: 6 }, () => randomUUID());
    for (const [i, user] of people.entries()) {
      await (i % 2 ? one : two).change('', { users: [], logins: [{ user, passwordHash }] });
    }
    execFileSync('ocpasswd', ['-c', file, 'admin'], { input: 'other\nother\n' });
    for (const [i, user] of people.entries())
      await (i % 2 ? two : one).change('', { users: [user], logins: [] });
    expect(userNames()).toEqual(['admin']);
  });

  test('lines that are off do not pile up', async () => {
    const gateways = ocservPasswordFile(file);
    const passwordHash = await hashOf('secret');
    const stays = { user: randomUUID(), passwordHash };
    writeFileSync(file, 'admin:*:$5$salt$hash\n');
    await gateways.change('', { users: [], logins: [stays] });
    for (let i = 0; i < 5; i += 1) {
      const some = Array.from({ length: 1000 }, () => ({ user: randomUUID(), passwordHash }));
      await gateways.change('', { users: [], logins: some });
      await gateways.change('', { users: some.map(({ user }) => user), logins: [] });
    }
    expect(statSync(file).size).toBeLessThan(250_000);
    expect(userNames()).toEqual(['admin', stays.user]);
    expect(readdirSync(directory)).toEqual(['passwords']);
  });

  test('a file that is rewritten stays where its link leads, and those who may read it stay the same', async () => {
    const linked = path.join(await newDirectory(), 'linked');
    await symlink(linked, file);
    writeFileSync(linked, 'admin:*:$5$salt$hash\n');
    chmodSync(linked, 0o640);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(linked, 0, 12_345);
    const { gid, ino } = statSync(linked);
    const gateways = ocservPasswordFile(file);
    const passwordHash = await hashOf('secret');
    const some = Array.from({ length: 1000 }, () => ({ user: randomUUID(), passwordHash }));
    await gateways.change('', { users: [], logins: some });
    await gateways.change('', { users: some.map(({ user }) => user), logins: [] });
    expect(statSync(linked)).toMatchObject({ gid, size: 'admin:*:$5$salt$hash\n'.length });
    expect(statSync(linked).ino).not.toBe(ino);
    expect(statSync(linked).mode & 0o777).toBe(0o640);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(userNames()).toEqual(['admin']);
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
    await letIn(good);
    await expect(letIn({ ...good, ...wrong })).rejects.toThrow('does not fit');
    expect(logins()).toEqual([[good.user, good.passwordHash]]);
  });
});

describe.each(databaseKindsOfRun)('gateway access on %s', (kind) => {
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
    expect(userNames()).toEqual([device.deviceId]);
    running.clock.advance({ hours: 1 });
    await reviewGateways(running);
    await expect.poll(logins).toEqual([]);
    await grantPlan(running, email);
    await reviewGateways(running);
    await expect.poll(userNames).toEqual([device.deviceId]);
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
  expect(userNames().toSorted()).toEqual(devices.map(({ deviceId }) => deviceId).sort());
});
