import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { casesOf, isExhaustive } from '../../../../lab/runs/thoroughness.ts';
import { endProcess, eventually } from '../../../../lab/runs/process.ts';
import { startDesktopSession, type DesktopSession } from '../../../../lab/desktop/desktop-session.ts';
import { createTestFile } from '../../support/key-value-file.ts';
import { startSystemProxy } from '../../support/start-system-proxy.ts';

const pac = 'http://127.0.0.1:40123/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:40123/77ab01.pac';
const group = ['--file', 'kioslaverc', '--group', 'Proxy Settings'];

// Many short programs one after the other: seconds, where the machine is busy.

let session: DesktopSession;
let ownFile: string;
let siteFile: string;

beforeAll(async () => {
  session = await startDesktopSession();
  ownFile = path.join(session.directory, '.config/kioslaverc');
  siteFile = path.join(session.directory, 'etc-xdg/kioslaverc');
  await mkdir(path.dirname(siteFile));
});

afterEach(async () => {
  await Promise.all([rm(ownFile, { force: true }), rm(siteFile, { force: true })]);
});

afterAll(() => session[Symbol.asyncDispose]());

const set = (key: string, value: string) =>
  session.user('kwriteconfig5', ...group, '--key', key, '--', value);
const get = async (key: string) =>
  (await session.user('kreadconfig5', ...group, '--key', key)).replace(/\n$/, '');
const own = () => readFile(ownFile, 'utf8').catch(() => '');
const gnome = () => session.user('dconf', 'dump', '/');

/** What running programs of KDE hear. */
async function listenLikePrograms() {
  const env = { ...process.env, ...session.env };
  const monitor = spawn('dbus-monitor', ['--session', "interface='org.kde.KIO.Scheduler'"], { env });
  let heard = '';
  monitor.stdout.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  // What it says first is that it listens.
  await eventually('the monitor listens', () => heard.includes('NameAcquired') || undefined);
  return {
    timesTold: () => (heard.match(/path=\/KIO\/Scheduler.*member=reparseSlaveConfiguration/g) ?? []).length,
    [Symbol.asyncDispose]: () => endProcess(monitor),
  };
}

describe('points at the PAC file, and puts back what was there:', () => {
  type Case = readonly [what: string, values: Readonly<Record<string, string>>];
  const usual: Case[] = [['a value like an option, and none', { ProxyType: '-1' }]];
  const all: Case[] = [
    ...usual,
    ['nothing set', {}],
    [
      'a manual proxy',
      { ProxyType: '1', httpProxy: 'http://proxy.example.org 3128', NoProxyFor: 'localhost' },
    ],
    ['a PAC file of the user', { ProxyType: '2', 'Proxy Config Script': 'http://wpad/a b\\c.pac' }],
    ['values like options', { ProxyType: '-1', 'Proxy Config Script': '--delete' }],
    ['an empty value', { 'Proxy Config Script': '' }],
  ];

  test.for(casesOf({ usual, all }))('%s', async ([, values]) => {
    for (const [key, value] of Object.entries(values)) await set(key, value);
    const before = await own();
    await using programs = await listenLikePrograms();
    const proxy = startSystemProxy('KDE', session.run);

    expect(await proxy.use(pac)).toBe(true);
    expect([await get('ProxyType'), await get('Proxy Config Script')]).toEqual(['2', pac]);
    expect(await proxy.use(laterPac)).toBe(true);
    expect([await get('ProxyType'), await get('Proxy Config Script')]).toEqual(['2', laterPac]);
    // Firefox reads the settings of GNOME there, too.
    expect(await gnome()).toBe(`[system/proxy]\nautoconfig-url='${laterPac}'\nmode='auto'\n`);

    await proxy.restore();
    expect(await own()).toBe(before);
    expect(await gnome()).toBe('');
    // Running programs are told of each change.
    await expect.poll(programs.timesTold).toBe(3);
  });
});

if (isExhaustive)
  test('a later start puts back what an ended one left, on whichever desktop', async () => {
    await set('ProxyType', '4');
    const before = await own();
    const file = createTestFile();
    await startSystemProxy('KDE', session.run, file).use(pac);
    await startSystemProxy('GNOME', session.run, file).restore();
    expect(await own()).toBe(before);
  });

test('a proxy that the user chooses meanwhile stays', async () => {
  const proxy = startSystemProxy('KDE', session.run);
  await proxy.use(pac);
  await set('Proxy Config Script', 'http://wpad/');
  const chosen = await own();
  expect(await proxy.use(laterPac)).toBe(false);
  await proxy.restore();
  expect(await own()).toBe(chosen);
});

if (isExhaustive)
  test('what the administrator has set shows through again', async () => {
    await writeFile(siteFile, '[Proxy Settings]\nProxyType=2\nProxy Config Script=http://wpad/\n');
    const proxy = startSystemProxy('KDE', session.run);
    expect(await proxy.use(pac)).toBe(true);
    await proxy.restore();
    expect(await own()).toBe('');
    expect(await get('Proxy Config Script')).toBe('http://wpad/');
  });

test('where the administrator forbids a change, nothing is changed', async () => {
  await writeFile(siteFile, '[Proxy Settings][$i]\nProxyType=0\n');
  const proxy = startSystemProxy('KDE', session.run);
  expect(await proxy.use(pac)).toBe(false);
  expect(proxy.logged()).toContain('did not take effect');
  expect(await own()).toBe('');
});

if (isExhaustive)
  test('without the tools of KDE there is no way but that of GNOME', async () => {
    const proxy = startSystemProxy('KDE', async (name, args, env) =>
      name.startsWith('kreadconfig') || name.startsWith('kwriteconfig')
        ? undefined
        : session.run(name, args, env),
    );
    expect(await proxy.use(pac)).toBe(true);
    expect(await own()).toBe('');
    expect(await gnome()).toContain(pac);
    await proxy.restore();
  });
