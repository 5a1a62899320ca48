import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCoreFiles } from '../../../../src/main/preferences/kept-file.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';

let folder: string;
const at = (name: string) => path.join(folder, name);
const settings = () => createSettings(openCoreFiles(folder).settingsFile);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

const utf16 = Buffer.from('{"killSwitch":false}', 'utf16le');
const damages: Record<string, (file: string) => Promise<void>> = {
  'cut off': async (file) => truncate(file, (await stat(file)).size - 20),
  zeroed: async (file) => writeFile(file, Buffer.alloc((await stat(file)).size)),
  'zeroed at its end': async (file) => {
    const { size } = await stat(file);
    await truncate(file, size - 20);
    await truncate(file, size);
  },
  empty: (file) => writeFile(file, ''),
  gone: (file) => rm(file),
  'written over a longer one': async (file) => writeFile(file, `${await readFile(file, 'utf8')}}}rest":1}`),
  null: (file) => writeFile(file, 'null'),
  'a list': (file) => writeFile(file, '[]'),
  'a text': (file) => writeFile(file, '""'),
  'a number': (file) => writeFile(file, '123'),
  'UTF-16': (file) => writeFile(file, utf16),
  binary: (file) => writeFile(file, Buffer.from([0xff, 0xfe, 0x80, 0x00, 0x7b])),
};

describe.each(Object.entries(damages))('settings: %s', (_name, damage) => {
  test('come back from the copy, with the change made last, and that is known until it is read', async () => {
    const before = settings();
    before.set('dns', ['192.0.2.53']);
    before.set('killSwitch', true);
    await damage(at('settings.json'));
    const after = settings();
    expect(after.get('killSwitch')).toBe(true);
    expect(after.get('dns')).toEqual(['192.0.2.53']);
    expect(after.get('settingsDamage')).toBe('restored');
    expect(settings().get('settingsDamage')).toBe('restored');
    after.set('settingsDamage', null);
    expect(settings().get('settingsDamage')).toBeNull();
    expect(settings().get('killSwitch')).toBe(true);
  });

  test('come back while the app is running, too', async () => {
    const running = settings();
    running.set('killSwitch', true);
    await damage(at('settings.json'));
    expect(running.get('killSwitch')).toBe(true);
    running.set('dns', ['192.0.2.53']);
    expect(settings().get('killSwitch')).toBe(true);
    expect(settings().get('settingsDamage')).toBe('restored');
  });

  test('without a readable copy, the kill switch counts as on until the helper has been asked', async () => {
    settings().set('killSwitch', true);
    await writeFile(at('settings.last-good.json'), '{"killSw');
    await damage(at('settings.json'));
    const after = settings();
    expect(after.get('killSwitch')).toBe(true);
    expect(after.get('killSwitchDoubt')).toBe('assumed');
    expect(after.get('settingsDamage')).toBe('lost');
  });
});

test('neither a first start, nor a byte order mark, nor line ends of another system are a damage', async () => {
  expect(settings().get('settingsDamage')).toBeNull();
  expect(settings().get('killSwitch')).toBe(false);
  await writeFile(at('settings.json'), '\uFEFF{\r\n"killSwitch": true,\r\n"future": 1e400 }\r\n');
  expect(settings().get('killSwitch')).toBe(true);
  expect(settings().get('settingsDamage')).toBeNull();
});

test('settings of an earlier version get a copy at the start, and all of it is private', async () => {
  await writeFile(at('settings.json'), '{"killSwitch":true}', { mode: 0o600 });
  settings();
  for (const name of await readdir(folder)) expect((await stat(at(name))).mode & 0o777, name).toBe(0o600);
  await writeFile(at('settings.json'), '');
  expect(settings().get('killSwitch')).toBe(true);
});

test.each(['page-storage', 'plan', 'connection-log'])('a damaged %s is empty, and usable', async (name) => {
  const files = () => {
    const { pageFile, planFile, connectionLogFile } = openCoreFiles(folder);
    return { 'page-storage': pageFile, plan: planFile, 'connection-log': connectionLogFile }[name];
  };
  files()?.set('a.b', 'kept');
  expect(files()?.get('a.b')).toBe('kept');
  await truncate(at(`${name}.json`), 8);
  expect(files()?.get('a.b')).toBeUndefined();
  files()?.set('a.b', 'new');
  expect(files()?.get('a.b')).toBe('new');
  files()?.clear();
  expect(await readFile(at(`${name}.json`), 'utf8')).not.toContain('new');
  // Whoever signs out leaves nothing behind.
  expect((await readdir(folder)).filter((file) => file.startsWith(`${name}.last`))).toEqual([]);
});
