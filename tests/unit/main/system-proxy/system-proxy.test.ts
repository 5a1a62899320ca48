import { describe, expect, test } from 'vitest';
import { createDesktopTools } from '../support/desktop-tools.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { startSystemProxy } from '../support/start-system-proxy.ts';

const pac = 'http://127.0.0.1:40123/3f9cd2.pac';
const laterPac = 'http://127.0.0.1:40124/77ab01.pac';
const changes = (commands: string[]) => commands.filter((command) => /gsettings (set|reset)/.test(command));

const situations: Record<string, Record<string, string>> = {
  'nothing set': {},
  'a manual proxy': { mode: "'manual'", 'autoconfig-url': "'http://wpad/'" },
  'a PAC file of the user': { mode: "'auto'", 'autoconfig-url': "'http://wpad/'" },
};

/** How long the work of an app that is then killed goes on: no command is run or answered after that. */
function killAt(commandCount: number): () => Promise<void> {
  let left = commandCount;
  return () => (left-- > 0 ? Promise.resolve() : new Promise(() => {}));
}

describe.for(Object.entries(situations))('killed at any command, with %s before,', ([, before]) => {
  test('the app finds at its next start what to put back', async () => {
    let died = 0;
    for (let count = 0; ; count++) {
      const tools = createDesktopTools(before);
      const file = createTestFile();
      tools.before = killAt(count);
      const life = startSystemProxy('GNOME', tools.run, file);
      const whole = (async () => {
        await life.use(pac);
        await life.use(laterPac);
        await life.restore();
        return 'ended' as const;
      })();
      const end = await Promise.race([whole, afterQuiet(tools.commands)]);
      tools.before = () => undefined;
      await startSystemProxy('GNOME', tools.run, file).restore();
      expect(Object.fromEntries(tools.set), `killed at command ${count}`).toEqual(before);
      expect(file.content.get('proxyBefore') ?? {}).toEqual({});
      if (end === 'ended') break;
      died++;
    }
    // Reading and writing, before and after: the loop did go through the middle of a change.
    expect(died).toBeGreaterThan(20);
  });

  test('the app can point at a PAC file again at once, and still knows what was there', async () => {
    for (let count = 0; count < 40; count++) {
      const tools = createDesktopTools(before);
      const file = createTestFile();
      tools.before = killAt(count);
      const life = startSystemProxy('GNOME', tools.run, file);
      await Promise.race([life.use(pac).then(() => life.use(laterPac)), afterQuiet(tools.commands)]);
      tools.before = () => undefined;
      const next = startSystemProxy('GNOME', tools.run, file);
      expect(await next.use(laterPac), `killed at command ${count}`).toBe(true);
      expect(tools.set.get('autoconfig-url')).toBe(`'${laterPac}'`);
      await next.restore();
      expect(Object.fromEntries(tools.set), `killed at command ${count}`).toEqual(before);
    }
  });
});

/** Resolves when no more commands come: with commands in memory, after one turn of the event loop. */
async function afterQuiet(commands: string[]): Promise<'quiet'> {
  for (let seen = -1; seen !== commands.length;) {
    seen = commands.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return 'quiet';
}

test('browsers never see automatic mode without an address', async () => {
  const tools = createDesktopTools();
  const seen: string[] = [];
  tools.before = () => void seen.push(`${tools.set.get('mode')} ${tools.set.get('autoconfig-url')}`);
  const proxy = startSystemProxy('GNOME', tools.run);
  await proxy.use(pac);
  await proxy.restore();
  expect(seen).toContain(`'auto' '${pac}'`);
  expect(seen).not.toContain("'auto' undefined");
});

test.for([
  'http://127.0.0.1:40123/',
  'http://127.0.0.1:70000/a.pac',
  'http://127.0.0.1/a.pac',
  'http://127.0.0.1:0/a.pac',
  'https://127.0.0.1:40123/a.pac',
  'http://localhost:40123/a.pac',
  'http://127.0.0.1:40123@proxy.example.org/a.pac',
  "http://127.0.0.1:40123/a'.pac",
  'http://127.0.0.1:40123/a.pac\n',
  'http://127.0.0.1:40123/a.pac?',
  'file:///tmp/a.pac',
])('%j is not set', async (address) => {
  const tools = createDesktopTools();
  expect(await startSystemProxy('GNOME', tools.run).use(address)).toBe(false);
  expect(tools.commands).toEqual([]);
});

test('a change that fails half-way is undone', async () => {
  const tools = createDesktopTools(situations['a manual proxy']);
  tools.before = (command) => {
    if (command.includes(' set org.gnome.system.proxy mode')) throw new Error('gsettings failed');
  };
  const file = createTestFile();
  const proxy = startSystemProxy('GNOME', tools.run, file);
  expect(await proxy.use(pac)).toBe(false);
  expect(Object.fromEntries(tools.set)).toEqual(situations['a manual proxy']);
  expect(file.content.get('proxyBefore')).toEqual({});
  expect(proxy.logged()).toContain('gsettings failed');
});

test('while the tools fail, what was there is kept until they work again', async () => {
  const tools = createDesktopTools(situations['a manual proxy']);
  const file = createTestFile();
  const proxy = startSystemProxy('GNOME', tools.run, file);
  await proxy.use(pac);
  tools.before = () => {
    throw new Error('no message bus');
  };
  await proxy.restore();
  expect(await proxy.use(laterPac)).toBe(false);
  expect(proxy.logged()).toContain('no message bus');

  tools.before = () => undefined;
  await proxy.restore();
  expect(Object.fromEntries(tools.set)).toEqual(situations['a manual proxy']);
});

test('settings that cannot be remembered are not changed', async () => {
  const tools = createDesktopTools();
  const file = createTestFile();
  file.broken = true;
  const proxy = startSystemProxy('GNOME', tools.run, file);
  expect(await proxy.use(pac)).toBe(false);
  await proxy.restore();
  expect(changes(tools.commands)).toEqual([]);

  file.broken = false;
  expect(await proxy.use(pac)).toBe(true);
});

test('the address in use is not set again, and with nothing to put back no program runs', async () => {
  const tools = createDesktopTools();
  const proxy = startSystemProxy('GNOME', tools.run);
  await proxy.restore();
  expect(tools.commands).toEqual([]);
  await proxy.use(pac);
  const count = changes(tools.commands).length;
  expect(await proxy.use(pac)).toBe(true);
  expect(changes(tools.commands)).toHaveLength(count);
});

test('calls that come at once are worked off in their order', async () => {
  const tools = createDesktopTools();
  const proxy = startSystemProxy('GNOME', tools.run);
  await Promise.all([proxy.use(pac), proxy.restore(), proxy.use(laterPac)]);
  expect(tools.set.get('autoconfig-url')).toBe(`'${laterPac}'`);
  await Promise.all([proxy.use(pac), proxy.restore()]);
  expect(tools.set.size).toBe(0);
});

test.for([
  ['', false],
  ['XFCE', false],
  ['sway', false],
  ['GNOME-Classic:GNOME', true],
  ['X-Cinnamon', true],
  ['Budgie:GNOME', true],
] as const)('on the desktop %j: %s', async ([desktop, can]) => {
  expect(await startSystemProxy(desktop, createDesktopTools().run).use(pac)).toBe(can);
});

test.each([
  'GNOME',
  'gnome',
  'ubuntu:GNOME',
  'GNOME-Flashback:GNOME',
  'Budgie:GNOME',
  'X-Cinnamon',
  'Cinnamon',
  'DDE',
  'Deepin',
  'Unity;Unity7',
  'zorin: GNOME',
  'MATE',
  'Pantheon',
  'UKUI',
])('a desktop that calls itself %s has the settings of GNOME', async (desktop) => {
  const tools = createDesktopTools({});
  expect(await startSystemProxy(desktop, tools.run).use(pac)).toBe(true);
  expect(tools.set.get('autoconfig-url')).toBe(`'${pac}'`);
});

test.each(['XFCE', 'LXQt', 'sway', 'i3', 'not-gnome', ''])('%s has not', async (desktop) => {
  const tools = createDesktopTools({});
  expect(await startSystemProxy(desktop, tools.run).use(pac)).toBe(false);
  expect(changes(tools.commands)).toEqual([]);
});
