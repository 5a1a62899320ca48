import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAutostart } from '../../../../../src/main/login-item/linux/autostart.ts';
import { run } from '../../../../lab/runs/process.ts';
import { waitLimit } from '../../../../lab/runs/wait-limit.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'waymaker-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('starting at login is on as long as the entry is there', () => {
  const autostart = createAutostart({ env: {}, home, command: ['/opt/waymaker'] });
  expect(autostart.isOn()).toBe(false);
  expect(autostart.set(true)).toBe(true);
  expect(createAutostart({ env: {}, home, command: ['/elsewhere'] }).isOn()).toBe(true);
  expect(autostart.set(false)).toBe(true);
  expect(autostart.isOn()).toBe(false);
});

test.each([
  ['Hidden', 'Hidden=true', {}],
  ['GNOME’s and Cinnamon’s switch', 'X-GNOME-Autostart-enabled=false', {}],
  ['the same with spaces', 'X-GNOME-Autostart-enabled = 0 ', {}],
  ['MATE’s switch', 'X-MATE-Autostart-enabled=false', {}],
  ['being for another desktop', 'OnlyShowIn=XFCE;', { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' }],
  ['not being for this one', 'NotShowIn=Deepin;', { XDG_CURRENT_DESKTOP: 'DDE' }],
])('an entry that a desktop switched off by %s is off, and can be switched on', async (_what, line, env) => {
  const autostart = createAutostart({ env, home, command: ['/opt/waymaker'] });
  autostart.set(true);
  expect(autostart.isOn()).toBe(true);
  const file = path.join(home, '.config/autostart/waymaker.desktop');
  const entry = await readFile(file, 'utf8');
  const key = line.replace(/\s*=.*/, '=');
  const others = entry.split('\n').filter((one) => !one.startsWith(key));
  await writeFile(file, [...others, line, ''].join('\n'));
  expect(autostart.isOn()).toBe(false);
  expect(autostart.set(true)).toBe(true);
  expect(autostart.isOn()).toBe(true);
});

test.each(['', '[Desktop Entry]\n', '\0\0\0\0', '[Desktop Entry]\nExec=\n'])(
  'an entry that starts nothing is off: %j',
  async (text) => {
    const autostart = createAutostart({ env: {}, home, command: ['/opt/waymaker'] });
    autostart.set(true);
    await writeFile(path.join(home, '.config/autostart/waymaker.desktop'), text);
    expect(autostart.isOn()).toBe(false);
  },
);

test('a desktop that reads the entry starts the program, whatever its path is called', async () => {
  const program = path.join(home, `way "maker" $HOME \\ 'x' 100%z`);
  const seen = path.join(home, 'seen');
  await writeFile(program, `#!/bin/sh\nprintf '%s|' "$@" > '${seen}'\n`);
  await chmod(program, 0o755);
  const config = path.join(home, 'config');
  createAutostart({ env: { XDG_CONFIG_HOME: config }, home, command: [program, '--hidden', '100 %u'] }).set(
    true,
  );
  await run(['gio', 'launch', path.join(config, 'autostart/waymaker.desktop')]);
  await vi.waitFor(async () => expect(await readFile(seen, 'utf8')).toBe('--hidden|100 %u|'), {
    timeout: waitLimit(10_000),
  });
});

test('starting at login is refused where the folder cannot be written to', async () => {
  await writeFile(path.join(home, '.config'), 'no folder');
  const autostart = createAutostart({ env: {}, home, command: ['/opt/waymaker'] });
  expect(autostart.set(true)).toBe(false);
  expect(autostart.isOn()).toBe(false);
});
