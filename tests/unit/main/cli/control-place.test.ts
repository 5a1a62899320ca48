import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { controlPlace, defaultProfile } from '../../../../src/main/control/control-place.ts';
import { runtimeFolders } from '../../../../src/main/control/linux/linux-folders.ts';
import { dataDirectories } from '../../../../src/main/programs/linux/data-directories.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('finds the same data folder from wherever it is asked', () => {
  const usual = path.join(homedir(), '.config/Waymaker');
  for (const folder of [undefined, '', 'relative', './relative'])
    expect(defaultProfile({ env: { XDG_CONFIG_HOME: folder }, platform: 'linux' })).toBe(usual);
  expect(defaultProfile({ env: { XDG_CONFIG_HOME: '/etc/other' }, platform: 'linux' })).toBe(
    '/etc/other/Waymaker',
  );
});

test.each(['', '.', 'relative'])('a HOME that is “%s” is that of the account', (home) => {
  const ofAccount = userInfo().homedir;
  expect(path.isAbsolute(ofAccount)).toBe(true);
  vi.stubEnv('HOME', home);
  expect(homedir()).toBe(home);
  expect(defaultProfile({ env: {}, platform: 'linux' })).toBe(path.join(ofAccount, '.config/Waymaker'));
  expect(defaultProfile({ env: {}, platform: 'darwin' })).toBe(
    path.join(ofAccount, 'Library/Application Support/Waymaker'),
  );
});

// sudo keeps HOME on macOS, and everywhere with -E.
test('root by sudo uses its own home, not that of whoever called it', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'waymaker-caller-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const caller = process.getuid?.() || 65_534;
  if (caller !== process.getuid?.()) await chown(home, caller, caller);
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  vi.stubEnv('HOME', home);
  const places = () => [
    defaultProfile({ env: {}, platform: 'darwin' }),
    defaultProfile({ env: {}, platform: 'linux' }),
    defaultProfile({ env: { XDG_CONFIG_HOME: home }, platform: 'linux' }),
  ];
  for (const place of places()) expect(place, 'nobody has called sudo').toContain(home);
  vi.stubEnv('SUDO_UID', `${caller}`);
  for (const place of places()) expect(place).toContain(userInfo().homedir);
  for (const place of places()) expect(place).not.toContain(home);
  // A home of root's own, as it has been told.
  vi.stubEnv('SUDO_UID', `${caller + 1}`);
  for (const place of places()) expect(place).toContain(home);
});

test('a home with blanks and letters of any script is used as it is', () => {
  for (const home of ['/home/Jörg Müller', '/home/用户', '/home/a b/👩‍💻']) {
    vi.stubEnv('HOME', home);
    expect(defaultProfile({ env: {}, platform: 'linux' })).toBe(`${home}/.config/Waymaker`);
  }
});

test('relative folders for sockets and data are ignored', () => {
  for (const folder of [undefined, '', '.', 'run']) {
    expect(runtimeFolders({ XDG_RUNTIME_DIR: folder }, 1000)).toEqual(['/run/user/1000']);
    const directories = dataDirectories({ XDG_DATA_HOME: folder }, '/home/one');
    expect(directories).toContain('/home/one/.local/share');
    expect(directories.every((one) => path.isAbsolute(one))).toBe(true);
  }
  expect(runtimeFolders({ XDG_RUNTIME_DIR: '/run/user/1000' }, 1000)).toEqual(['/run/user/1000']);
  expect(runtimeFolders({ XDG_RUNTIME_DIR: '/run/other' }, 1000)).toEqual(['/run/other', '/run/user/1000']);
});

test('a socket fits where the home and the folder for temporary files have paths that are too long for it', async () => {
  const long = path.join(await mkdtemp(path.join(tmpdir(), 'waymaker-long-')), 'x'.repeat(90));
  onTestFinished(() => rm(path.dirname(long), { recursive: true }));
  vi.stubEnv('TMPDIR', long);
  const { socketPath } = controlPlace(path.join(long, 'profile'), { env: {}, platform: 'darwin' });
  const server = createServer();
  onTestFinished(async () => {
    server.close();
    await rm(socketPath, { force: true });
  });
  server.listen(socketPath);
  await once(server, 'listening');
  expect(server.address()).toBe(socketPath);
});
