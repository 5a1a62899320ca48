import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { casesOf, isExhaustive } from '../../../../lab/runs/thoroughness.ts';
import { startDesktopSession, type DesktopSession } from '../../../../lab/desktop/desktop-session.ts';
import { createTestFile } from '../../support/key-value-file.ts';
import { startSystemProxy } from '../../support/start-system-proxy.ts';

const pac = 'http://127.0.0.1:40123/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:40123/77ab01.pac';
const schema = 'org.gnome.system.proxy';

// Many short programs one after the other: seconds, where the machine is busy.

let session: DesktopSession;

beforeAll(async () => {
  session = await startDesktopSession();
});

afterEach(async () => {
  await session.user('dconf', 'reset', '-f', '/');
  await setProfile('user-db:user\n');
});

afterAll(() => session[Symbol.asyncDispose]());

const set = (key: string, value: string) => session.user('gsettings', 'set', ...key.split(' '), value);
const stored = () => session.user('dconf', 'dump', '/');
const setProfile = (text: string) => writeFile(path.join(session.directory, 'dconf-profile'), text);

/** Everything about proxies, as programs see it and as it is stored. */
async function everything(): Promise<string> {
  return (await session.user('gsettings', 'list-recursively', schema)) + (await stored());
}

async function pointedAt(): Promise<string | undefined> {
  const mode = await session.user('gsettings', 'get', schema, 'mode');
  const address = await session.user('gsettings', 'get', schema, 'autoconfig-url');
  return mode === "'auto'\n" ? address.trim().slice(1, -1) : undefined;
}

async function setManualProxy(): Promise<void> {
  await set(`${schema} mode`, 'manual');
  await set(`${schema} autoconfig-url`, 'http://proxy.example.org/it\'s "ours".pac');
  await set(`${schema}.http host`, 'proxy.example.org');
  await set(`${schema}.http port`, '3128');
}

describe('points at the PAC file, and puts back what was there:', () => {
  type Case = readonly [what: string, prepare: () => Promise<unknown>];
  const usual: Case[] = [['a manual proxy', setManualProxy]];
  const all: Case[] = [
    ...usual,
    ['nothing set', () => Promise.resolve()],
    [
      'a PAC file of the user',
      () => set(`${schema} mode`, 'auto').then(() => set(`${schema} autoconfig-url`, 'http://wpad/')),
    ],
    ['the default, set by the user', () => set(`${schema} mode`, 'none')],
  ];

  test.for(casesOf({ usual, all }))('%s', async ([, prepare]) => {
    await prepare();
    const before = await everything();
    const proxy = startSystemProxy('ubuntu:GNOME', session.run);

    expect(await proxy.use(pac)).toBe(true);
    expect(await pointedAt()).toBe(pac);
    expect(await proxy.use(laterPac)).toBe(true);
    expect(await pointedAt()).toBe(laterPac);

    await proxy.restore();
    expect(await everything()).toBe(before);
  });
});

test('a later start puts back what an ended one left', async () => {
  await setManualProxy();
  const before = await everything();
  const file = createTestFile();
  expect(await startSystemProxy('GNOME', session.run, file).use(pac)).toBe(true);

  await startSystemProxy('KDE', session.run, file).restore();
  expect(await everything()).toBe(before);
  expect(file.content.get('proxyBefore')).toEqual({});
});

test('a proxy that the user chooses meanwhile stays', async () => {
  const file = createTestFile();
  const proxy = startSystemProxy('GNOME', session.run, file);
  await proxy.use(pac);
  await setManualProxy();
  const chosen = await everything();

  expect(await proxy.use(laterPac)).toBe(false);
  await proxy.restore();
  expect(await everything()).toBe(chosen);

  expect(await proxy.use(laterPac)).toBe(true);
  await proxy.restore();
  expect(await everything()).toBe(chosen);
});

if (isExhaustive)
  test('a proxy that the user has switched off stays off, without our address', async () => {
    await set(`${schema} autoconfig-url`, 'http://wpad/');
    const proxy = startSystemProxy('GNOME', session.run);
    await proxy.use(pac);
    await set(`${schema} mode`, 'none');
    await proxy.restore();
    expect(await stored()).toBe("[system/proxy]\nautoconfig-url='http://wpad/'\nmode='none'\n");
  });

if (isExhaustive)
  test('without the tool of dconf, the default counts as not set', async () => {
    const proxy = startSystemProxy('GNOME', (name, args, env) =>
      name === 'dconf' ? Promise.resolve(undefined) : session.run(name, args, env),
    );
    await set(`${schema} mode`, 'none');
    await set(`${schema} autoconfig-url`, 'http://wpad/');
    await proxy.use(pac);
    await proxy.restore();
    expect(await stored()).toBe("[system/proxy]\nautoconfig-url='http://wpad/'\n");
  });

describe('where an administrator', () => {
  /** Compiles a database of the administrator's, below the user's own. */
  async function administer(mode: string, locks = ''): Promise<void> {
    const keyfiles = path.join(session.directory, 'site.d');
    await mkdir(path.join(keyfiles, 'locks'), { recursive: true });
    await writeFile(path.join(keyfiles, 'proxy'), `[system/proxy]\nmode='${mode}'\n`);
    await writeFile(path.join(keyfiles, 'locks/proxy'), locks);
    const database = path.join(session.directory, 'site');
    await session.user('dconf', 'compile', database, keyfiles);
    await setProfile(`user-db:user\nfile-db:${database}\n`);
  }

  test.for(casesOf({ usual: ['manual'], all: ['manual', 'auto'] }))(
    'has set %s as the default, it holds again afterwards',
    async (mode) => {
      await administer(mode);
      const before = await everything();
      const proxy = startSystemProxy('GNOME', session.run);
      expect(await proxy.use(pac)).toBe(true);
      expect(await pointedAt()).toBe(pac);
      await proxy.restore();
      expect(await everything()).toBe(before);
      await setProfile('user-db:user\n');
      expect(await stored()).toBe('');
    },
  );

  test('forbids a change, nothing is changed', async () => {
    await administer('none', '/system/proxy/mode\n');
    const file = createTestFile();
    const proxy = startSystemProxy('GNOME', session.run, file);
    expect(await proxy.use(pac)).toBe(false);
    expect(proxy.logged()).toContain('cannot be changed');
    await setProfile('user-db:user\n');
    expect(await stored()).toBe('');
    expect(file.content.get('proxyBefore')).toEqual({});
  });
});

test('without a message bus, where gsettings changes nothing and says nothing, it is told', async () => {
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  const proxy = startSystemProxy('GNOME', (name, args, env) => session.run(name, args, { ...bus, ...env }));
  expect(await proxy.use(pac)).toBe(false);
  expect(proxy.logged()).toContain('did not take effect');
});

test('without gsettings, the proxy cannot be set', async () => {
  const none = { PATH: '/nonexistent' };
  const file = createTestFile();
  const proxy = startSystemProxy('GNOME', (name, args) => session.run(name, args, none), file);
  expect(await proxy.use(pac)).toBe(false);
  expect(file.content.size).toBe(0);
});

test('on a desktop that has settings of its own, those of GNOME are left alone', async () => {
  const proxy = startSystemProxy('XFCE', session.run);
  expect(await proxy.use(pac)).toBe(false);
  expect(await stored()).toBe('');
});
