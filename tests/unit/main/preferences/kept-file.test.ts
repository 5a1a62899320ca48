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

describe('a setting of another kind', () => {
  const damaged = async (change: object) => {
    const content = JSON.parse(await readFile(at('settings.json'), 'utf8')) as object;
    await writeFile(at('settings.json'), JSON.stringify({ ...content, ...change }));
    return settings();
  };

  test.each([1, 'true', null, {}, []])('the kill switch: %j comes back from the copy', async (killSwitch) => {
    const before = settings();
    before.set('killSwitch', true);
    before.set('favouriteServers', ['one']);
    const after = await damaged({ killSwitch, dns: ['192.0.2.53'] });
    expect(after.get('killSwitch')).toBe(true);
    expect(after.get('killSwitchDoubt')).toBe('copied');
    expect(after.get('dns')).toEqual(['192.0.2.53']);
    expect(after.get('settingsDamage')).toBe('restored');
    expect(settings().get('killSwitch')).toBe(true);
  });

  test('without a copy, the kill switch counts as on until the helper has been asked', async () => {
    settings().set('theme', 'dark');
    const after = async (copy: string) => {
      await writeFile(at('settings.last-good.json'), copy);
      const found = await damaged({ killSwitch: 'on' });
      return ['killSwitch', 'killSwitchDoubt', 'settingsDamage', 'theme'].map((name) =>
        found.get(name as never),
      );
    };
    expect(await after('{"killSw')).toEqual([true, 'assumed', 'lost', 'dark']);
    expect(await after('{"killSwitch":"on"}')).toEqual([true, 'assumed', 'lost', 'dark']);
  });

  test.each<[string, object]>([
    ['favourites', { favouriteServers: 'one' }],
    ['recents', { recentServers: { 0: 'one' } }],
    ['resolvers', { dns: ['192.0.2.53', 7] }],
    ['trusted networks', { trustedNetworks: '00ff' }],
    ['what connects by itself', { connectOnUntrusted: 'yes' }],
  ])('%s come back from the copy, and nothing else changes', async (_name, change) => {
    const before = settings();
    before.set('favouriteServers', ['one']);
    before.set('recentServers', ['one', 'two']);
    before.set('dns', ['192.0.2.53']);
    before.set('trustedNetworks', ['00ff']);
    before.set('connectOnUntrusted', true);
    const after = await damaged(change);
    expect(after.get('favouriteServers')).toEqual(['one']);
    expect(after.get('recentServers')).toEqual(['one', 'two']);
    expect(after.get('dns')).toEqual(['192.0.2.53']);
    expect(after.get('trustedNetworks')).toEqual(['00ff']);
    expect(after.get('connectOnUntrusted')).toBe(true);
    expect(after.get('settingsDamage')).toBe('restored');
    expect(after.get('killSwitchDoubt')).toBeNull();
  });

  test('that nobody would miss is no damage', async () => {
    settings().set('killSwitch', true);
    const after = await damaged({ windowPlace: 'left', zoomLevel: 'large', toldOnce: 7 });
    expect(after.get('windowPlace')).toBeUndefined();
    expect(after.get('zoomLevel')).toBe(0);
    expect(after.get('toldOnce')).toEqual([]);
    expect(after.get('settingsDamage')).toBeNull();
  });
});

test('settings with a mistake of whoever edited them are kept beside those that came back', async () => {
  settings().set('killSwitch', true);
  const edited = '{ "killSwitch": true, "dns": ["192.0.2.53"], }';
  await writeFile(at('settings.json'), edited);
  expect(settings().get('killSwitch')).toBe(true);
  expect(await readFile(at('settings.damaged.json'), 'utf8')).toBe(edited);
  expect((await stat(at('settings.damaged.json'))).mode & 0o777).toBe(0o600);
  // Nothing but zeros is nobody's edit.
  await writeFile(at('settings.json'), Buffer.alloc(40));
  expect(settings().get('killSwitch')).toBe(true);
  expect(await readFile(at('settings.damaged.json'), 'utf8')).toBe(edited);
});

test('settings that cannot be read for a while are those that were read last', () => {
  const content: Record<string, unknown> = { killSwitch: true };
  let isThere = true;
  const running = createSettings({
    get(name) {
      if (!isThere) throw new Error('EIO');
      return content[name];
    },
    set: () => undefined,
    delete: () => undefined,
    clear: () => undefined,
  });
  expect(running.get('killSwitch')).toBe(true);
  isThere = false;
  expect(running.get('killSwitch')).toBe(true);
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
