import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import { makeDesktop } from '../../../packaging/desktop/desktop-package.ts';
import { makeCore } from '../../../packaging/linux/core-package.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { layMachine } from '../support/installed/installed-helper.ts';
import { createInstalledMachine, type InstalledMachine } from '../support/installed/installed-machine.ts';
import { windowPage, type ShownPage } from '../support/installed/window-page.ts';
import { packagesFolder } from '../support/installed/core-packages.ts';
import { packageOptions } from '../support/installed/package-options.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

/**
 * The desktop package beside that of the core, by dpkg and by rpm, on a machine under systemd. Without Electron's
 * binary, it is the one with the window for tests. The tests follow each other.
 */

/** To be looked at. */
const picture = path.resolve(import.meta.dirname, '../../../out/packages/tests/window.png');
const name = 'waymaker-test-window';
const program = '/opt/Waymaker/waymaker';
const port = 9222;
const home = '/home/person';
const say = createSay('en', 'linux');
let installed: InstalledMachine;

beforeAll(async () => {
  const options = {
    ...(await packageOptions()),
    formats: ['deb', 'rpm'],
    folder: await packagesFolder('desktop'),
  } as const;
  const making = (async () => [
    ...(await makeCore(options)),
    ...(await makeDesktop({ ...options, electron: undefined })),
  ])();
  making.catch(() => undefined);
  installed = await createInstalledMachine('resolved', undefined, layMachine);
  const { machine } = installed;
  const [core = '', , coreRpm = '', , window = '', , windowRpm = ''] = await making;
  await copyFile(core, machine.file('/run/core.deb'));
  await copyFile(coreRpm, machine.file('/run/core.rpm'));
  await copyFile(window, machine.file('/run/window.deb'));
  await copyFile(windowRpm, machine.file('/run/window.rpm'));
  // In containers it often forbids what packages start.
  await machine.run(words('rm -f /usr/sbin/policy-rc.d'));
  await machine.run(words('useradd --create-home --shell /bin/sh person'));
});
afterAll(() => installed?.[Symbol.asyncDispose]());

/** Every file outside of what the package manager and the system's log keep for themselves. */
const files = () =>
  installed.machine.run([
    'sh',
    '-c',
    // Other laboratories on the same machine come and go in /etc/netns.
    'find /etc /usr /opt /var/lib -xdev ! -path "/etc/netns*" ! -path "/var/lib/dpkg/*" ! -path "/var/lib/rpm*" ! -path "/var/lib/systemd/*" | sort',
  ]);

const asPerson = (argv: readonly string[]) =>
  installed.machine.exec([
    ...words('setpriv --reuid=person --regid=person --init-groups env'),
    `HOME=${home}`,
    'LC_ALL=C.UTF-8',
    ...argv,
  ]);
const linkHandler = async () =>
  (await asPerson(words('xdg-mime query default x-scheme-handler/waymaker'))).stdout.trim();

/** The window's page once it shows this text; Chromium may have to start before. */
const page = (text: string, expression?: string): Promise<ShownPage> =>
  eventually(
    `the window shows “${text}”`,
    async () => {
      const now = await windowPage(installed.machine, port, expression);
      return now?.text.includes(text) ? now : undefined;
    },
    { timeout: 60_000 },
  );

let withoutWindow: string;

test('the desktop package needs the core of its own version', async () => {
  const { machine } = installed;
  const alone = await machine.exec(words('dpkg --install /run/window.deb'));
  expect(alone.code).not.toBe(0);
  expect(alone.stderr).toMatch(/depends on waymaker-core \(= /);
  await machine.run(words(`dpkg --purge ${name}`));
});

test('installed, its window opens from the menu’s command, and finds the helper', async () => {
  const { machine } = installed;
  await machine.run(words('dpkg --install /run/core.deb'));
  await installed.helper();
  await machine.run(words('usermod --append --groups waymaker person'));
  withoutWindow = await files();
  expect(await linkHandler()).toBe('');
  await machine.run(words('dpkg --install /run/window.deb'));
  expect(await machine.run(words(`dpkg --verify ${name}`))).toBe('');
  expect(await linkHandler()).toBe('waymaker.desktop');
  expect(await readFile(machine.file('/usr/share/applications/waymaker.desktop'), 'utf8')).toContain(
    `\nExec=${program} -- %u\n`,
  );

  const run = words(`systemd-run --quiet --unit=window --uid=person --setenv=HOME=${home}`);
  await machine.run([...run, '--setenv=LC_ALL=C.UTF-8', program, `--remote-debugging-port=${port}`, '--']);
  const first = await page(say('login.title'));
  await writeFile(picture, Buffer.from(first.picture, 'base64'));
  const status = await asPerson(words('waymaker status --json'));
  expect(JSON.parse(status.stdout)).toMatchObject({
    core: { kind: 'app' },
    tunnel: { state: 'disconnected' },
  });
});

test('a link reaches the window that is open, and no second one opens', async () => {
  const { machine } = installed;
  const pid = words('systemctl show --property=MainPID --value window');
  const before = await machine.run(pid);
  const opened = await asPerson([program, '--', 'waymaker://open']);
  expect(opened).toMatchObject({ code: 0 });
  expect(await machine.run(pid)).toBe(before);
  await page(say('login.title'));
});

test('the entry that starts it at login names the installed program', async () => {
  const set = `waymakerHost.request('preferences.get').then((now) =>
    waymakerHost.request('preferences.set', { ...now, openAtLogin: true }))`;
  await page(say('login.title'), set);
  const entry = installed.machine.file(`${home}/.config/autostart/waymaker.desktop`);
  expect(await readFile(entry, 'utf8')).toContain(`\nExec="${program}" "--hidden"\n`);
});

test('removed, the window ends, and the package has never been there', async () => {
  const { machine } = installed;
  await machine.run(words(`dpkg --remove ${name}`));
  await eventually('it has ended', async () => {
    const { stdout } = await machine.exec(words('systemctl is-active window'));
    return stdout.trim() !== 'active' || undefined;
  });
  await machine.run(words(`dpkg --purge ${name}`));
  expect(await files()).toBe(withoutWindow);
  expect(await linkHandler()).toBe('');
  await machine.run(words('dpkg --purge waymaker-core'));
});

/** Its own dependencies are Debian's here, which rpm does not know. */
test('the rpm package lays the same files, and leaves none', async () => {
  const { machine } = installed;
  const before = await files();
  await machine.run(words('rpm --install --nodeps /run/core.rpm /run/window.rpm'));
  expect(await machine.run(words(`rpm --verify --nodeps ${name}`))).toBe('');
  const listed = async (argv: string) =>
    (await machine.run(words(argv)))
      .split('\n')
      .filter((file) => file.startsWith('/opt/'))
      .sort();
  const inDeb = await machine.run(words('dpkg-deb --contents /run/window.deb'));
  const inRpm = await listed(`rpm --query --list ${name}`);
  expect(inRpm.length).toBeGreaterThan(50);
  for (const file of inRpm) expect(inDeb).toContain(`.${file}`);
  await machine.run(words(`rpm --erase ${name} waymaker-core`));
  expect(await files()).toBe(before);
});
