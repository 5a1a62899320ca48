import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import path from 'node:path';
import { apiPath } from '#shared/api/call.ts';
import { apiCalls } from '#shared/api/calls.ts';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { devices } from '../../../src/service/database/schema/account.ts';
import { gatewayPasswords } from '../../../src/service/database/schema/gateways.ts';
import { ocservPasswordFile } from '../../../src/service/gateways/ocserv-password-file.ts';
import type { Seed } from '../../../src/service/seed.ts';
import {
  callNames,
  newDirectory,
  newEmail,
  newEnvironment,
  newSeededEnvironment,
  reviewGateways,
  signedIn,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';
import { fits } from './crypt.ts';

const server = (id: string, domain: string, port?: number) => ({
  serverId: id,
  name: id,
  domain,
  ...(port !== undefined && { port }),
});
const seed: Seed = {
  serverGroups: [
    {
      id: 'trial',
      name: 'Trial',
      isTrial: true,
      items: [
        { id: 'a', level: 1, servers: [server('one', 'one.example.net')] },
        {
          id: 'b',
          level: 1,
          servers: [
            server('two', 'two.example.net', 8443),
            server('same', 'one.example.net'),
            server('books', 'bücher.example', 9443),
          ],
        },
      ],
    },
    {
      id: 'paid',
      name: 'Paid',
      isTrial: false,
      items: [{ id: 'c', level: 1, servers: [server('three', 'three.example.net')] }],
    },
  ],
};

describe('passwords of gateways', () => {
  let running: TestService;
  let directory: string;
  beforeAll(async () => {
    directory = await newDirectory();
    running = await startTestService({
      environment: {
        ...(await newSeededEnvironment('postgresql', seed)),
        WAYMAKER_GATEWAY_PASSWORD_FILE: path.join(directory, '{gateway}.passwd'),
      },
    });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  async function loginsOf({ client }: TestDevice) {
    const result = await client.call('gatewayLogins');
    if (!result.ok) throw new Error('no logins', { cause: result.failure });
    return result.data.items;
  }
  /** The hash that a gateway has for a user. */
  function hashAt(gateway: string, user: string): string {
    const file = path.join(directory, `${gateway}.passwd`);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return lines.find((line) => line.startsWith(`${user}:`))?.slice(`${user}:*:`.length) ?? '';
  }

  test('a device has one of its own at each gateway that is open to it, and no token', async () => {
    const device = await signedIn(running, newEmail());
    const logins = await loginsOf(device);
    expect(logins).toEqual([
      { domain: 'one.example.net', port: 443, username: device.deviceId, password: expect.any(String) },
      { domain: 'two.example.net', port: 8443, username: device.deviceId, password: expect.any(String) },
      {
        domain: 'xn--bcher-kva.example',
        port: 9443,
        username: device.deviceId,
        password: expect.any(String),
      },
    ]);
    // As in the list of servers, by which the app finds them, and in a form that resolvers and TLS take.
    const groups = await device.client.call('serverGroups');
    if (!groups.ok) throw new Error('no servers', { cause: groups.failure });
    const hosts = groups.data.items.flatMap(({ items }) =>
      items.flatMap(({ servers }) => servers.map(({ domain }) => domain)),
    );
    expect(hosts).toContain('xn--bcher-kva.example');
    const [one, two] = logins.map(({ password }) => password);
    const hashes = {
      one: hashAt('one.example.net_443', device.deviceId),
      two: hashAt('two.example.net_8443', device.deviceId),
    };
    expect(fits(one ?? '', hashes.one)).toBe(true);
    expect(fits(two ?? '', hashes.two)).toBe(true);
    expect(fits(one ?? '', hashes.two)).toBe(false);
    expect(fits(device.token ?? '', hashes.one)).toBe(false);
    expect(hashAt('three.example.net_443', device.deviceId)).toBe('');
    const other = await signedIn(running, newEmail());
    expect((await loginsOf(other)).map(({ password }) => password)).not.toContain(one);
    expect(await loginsOf(device)).toEqual(logins);
  });

  test('a gateway’s captured password is refused by every call', async () => {
    const device = await signedIn(running, newEmail());
    const [login] = await loginsOf(device);
    const params = { lang: 'en', pageName: 'vpn-account', country: 'cn', deviceId: device.deviceId };
    const ids = { orderId: '1', id: '1', key: 'K', loginId: 'a@example.com' };
    const credentials = Buffer.from(`${login?.username}:${login?.password}`).toString('base64');
    const asked = callNames.filter((name) => apiCalls[name].auth);
    const answers = await Promise.all(
      asked.map(async (name) => {
        const call = apiCalls[name];
        const reply = await fetch(running.url + apiPath(call, { ...params, ...ids }), {
          method: call.method,
          headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
          ...(call.method !== 'GET' && { body: '{}' }),
        });
        return reply.status;
      }),
    );
    expect(answers).toEqual(asked.map(() => 401));
    expect(await device.client.call('userInfo')).toMatchObject({ ok: true });
  });

  test('signing in again ends the passwords of before', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    const [before] = await loginsOf(device);
    await device.verify(await device.requestCode(email), await device.readCode(email));
    expect(hashAt('one.example.net_443', device.deviceId)).toBe('');
    const [after] = await loginsOf(device);
    const hash = hashAt('one.example.net_443', device.deviceId);
    expect(fits(before?.password ?? '', hash)).toBe(false);
    expect(fits(after?.password ?? '', hash)).toBe(true);
  });

  test('a browser has none', async () => {
    const email = newEmail();
    const browser = new TestDevice(running);
    const authId = await browser.requestCode(email);
    const body = { authId, authCode: await browser.readCode(email), isDevice: false };
    const result = await browser.client.call('auth', { body });
    browser.token = result.ok ? result.data.token : undefined;
    expect(await loginsOf(browser)).toEqual([]);
    expect(hashAt('one.example.net_443', browser.deviceId)).toBe('');
  });

  test('signing in elsewhere with a device’s id ends neither its session nor its access', async () => {
    const owner = await signedIn(running, newEmail());
    const [before] = await loginsOf(owner);
    const stranger = new TestDevice(running, { deviceId: owner.deviceId, token: undefined });
    await stranger.signIn(newEmail());
    const [theirs] = await loginsOf(stranger);
    expect(await owner.client.call('userInfo')).toMatchObject({ ok: true });
    expect(await loginsOf(owner)).toContainEqual(before);
    expect(fits(before?.password ?? '', hashAt('one.example.net_443', owner.deviceId))).toBe(true);
    expect(theirs?.username).not.toBe(owner.deviceId);
    expect(fits(theirs?.password ?? '', hashAt('one.example.net_443', theirs?.username ?? ''))).toBe(true);
    await stranger.client.call('revokeDevice', { params: { deviceId: owner.deviceId } });
    expect(await owner.client.call('userInfo')).toMatchObject({ ok: true });
  });

  test('a device of an earlier version gets in with its token until it asks for passwords', async () => {
    const device = await signedIn(running, newEmail());
    const { database } = running.service;
    const ofDevice = eq(devices.deviceId, device.deviceId);
    const [tokenHash = ''] = await ocservPasswordFile('').hashPasswords([device.token ?? '']);
    await database.delete(gatewayPasswords).where(eq(gatewayPasswords.gatewayUser, device.deviceId));
    await database.update(devices).set({ gatewayPasswordHash: tokenHash }).where(ofDevice);
    await reviewGateways(running);
    await expect.poll(() => hashAt('one.example.net_443', device.deviceId)).toBe(tokenHash);
    const [login] = await loginsOf(device);
    expect(fits(login?.password ?? '', hashAt('one.example.net_443', device.deviceId))).toBe(true);
  });

  test('a process with another key than the service’s, or a damaged one, or none, does not start', async () => {
    const environment = await newEnvironment('postgresql');
    await (await startTestService({ environment })).service.close();
    const otherKey = path.join(await newDirectory(), 'other.key');
    const startWithIt = () =>
      startTestService({ environment: { ...environment, WAYMAKER_SERVICE_KEY_FILE: otherKey } });
    await expect(startWithIt()).rejects.toThrow(`WAYMAKER_SERVICE_KEY_FILE: ${otherKey} is gone`);
    // No new one has been made that would look like it.
    await expect(readFile(otherKey)).rejects.toThrow('ENOENT');
    for (const content of ['', 'ab12', `${'00'.repeat(31)}\0\0\n`]) {
      await writeFile(otherKey, content);
      await expect(startWithIt()).rejects.toThrow('has no key');
      expect(await readFile(otherKey, 'utf8')).toBe(content);
    }
    await writeFile(otherKey, '00'.repeat(32));
    await expect(startWithIt()).rejects.toThrow('not the key that this database was used with');
    await using again = await startTestService({ environment });
    expect(again.url).toContain('http');
  });

  test('on a disk that takes nothing, no key is made, and that is said', async () => {
    const folder = await newDirectory();
    const module = path.resolve(import.meta.dirname, '../../../src/service/http/keyed-hash.ts');
    const script = `const { openServiceKey } = await import(process.argv[1]); await openServiceKey(process.argv[2], async () => false);`;
    const open = (before: string) =>
      promisify(execFile)(
        'sh',
        ['-c', `${before} exec "$@"`, 'sh', process.execPath].concat([
          '--input-type=module',
          '--eval',
          script,
          module,
          path.join(folder, 'service.key'),
        ]),
      );
    // Every write to a file fails (setrlimit(2), RLIMIT_FSIZE).
    await expect(open("trap '' XFSZ; ulimit -f 0;")).rejects.toThrow('EFBIG');
    expect(await readdir(folder)).toEqual([]);
    await open('');
    expect(await readdir(folder)).toEqual(['service.key']);
  });
});
