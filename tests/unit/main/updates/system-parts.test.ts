import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { NetworkInterfaceInfo } from 'node:os';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunProgram } from '../../../../src/main/run-program.ts';
import { hasNetwork } from '../../../../src/main/updates/has-network.ts';
import { appImageInstaller } from '../../../../src/main/updates/linux/replace-app-image.ts';
import { macosInstaller } from '../../../../src/main/updates/macos/open-package.ts';
import { systemInstaller } from '../../../../src/main/updates/system-installer.ts';

let directory: string;
const begun = vi.fn<() => void>();
beforeEach(() => void begun.mockReset());
const notBegun = { opensAgain: false, onBegun: () => expect.unreachable() };
beforeEach(async () => (directory = await mkdtemp(path.join(tmpdir(), 'waymaker-installs-'))));
afterEach(() => rm(directory, { recursive: true }));

test('an AppImage is replaced under its own name, behind its link, and runs although the download does not', async () => {
  const file = path.join(directory, 'Waymaker-0.1.0.AppImage');
  const link = path.join(directory, 'waymaker');
  const download = path.join(directory, 'download');
  await writeFile(file, '#!/bin/sh\necho old\n', { mode: 0o755 });
  await symlink(file, link);
  await writeFile(download, '#!/bin/sh\necho new\n', { mode: 0o600 });
  const installer = appImageInstaller(link);
  expect(installer).toMatchObject({ endsTunnel: false, reopens: true, next: link });
  expect(execFileSync(link, { encoding: 'utf8' })).toBe('old\n');
  expect(await installer.start(download, { opensAgain: true, onBegun: begun })).toBe('started');
  expect(begun).toHaveBeenCalledOnce();
  expect(await installer.isRunning()).toBe(false);
  expect(execFileSync(link, { encoding: 'utf8' })).toBe('new\n');
  expect((await stat(file)).mode & 0o777).toBe(0o755);
  expect((await readdir(directory)).sort()).toEqual(['Waymaker-0.1.0.AppImage', 'download', 'waymaker']);
});

test('an AppImage that cannot be replaced stays as it is, and leaves nothing beside it', async () => {
  const installer = appImageInstaller(path.join(directory, 'gone.AppImage'));
  const download = path.join(directory, 'download');
  await writeFile(download, 'new');
  expect(await installer.start(download, notBegun)).toBe('not-replaced');
  const file = path.join(directory, 'there.AppImage');
  await writeFile(file, 'old');
  await chmod(file, 0o755);
  expect(await appImageInstaller(file).start(path.join(directory, 'no-download'), notBegun)).toBe(
    'not-replaced',
  );
  expect(await readFile(file, 'utf8')).toBe('old');
  expect((await readdir(directory)).sort()).toEqual(['download', 'there.AppImage']);
});

// Nobody can make a file there, root neither.
test('an AppImage that its user may not replace is left alone', async () => {
  const download = path.join(directory, 'download');
  await writeFile(download, 'new');
  const installer = appImageInstaller('/sys/devices/system/cpu/online');
  expect(await installer.start(download, notBegun)).toBe('not-writable');
});

test('macOS opens the package, and says if it could not', async () => {
  const asked: (readonly string[])[] = [];
  const outcomes: Record<string, ReturnType<RunProgram>> = {
    'good.pkg': Promise.resolve(''),
    'absent.pkg': Promise.resolve(undefined),
  };
  const installer = macosInstaller((name, args) => {
    asked.push([name, ...args]);
    return outcomes[args[0] ?? ''] ?? Promise.reject(new Error('no application knows how to open it'));
  });
  const start = (file: string) => installer.start(file, { opensAgain: true, onBegun: () => undefined });
  expect([await start('good.pkg'), await start('absent.pkg'), await start('bad.pkg')]).toEqual([
    'started',
    'not-started',
    'not-started',
  ]);
  expect(asked[0]).toEqual(['/usr/bin/open', 'good.pkg']);
});

test('where a package manager brings updates, nothing installs them', async () => {
  expect(await systemInstaller('linux', {})).toBeUndefined();
  const mounted = { APPIMAGE: '/x.AppImage', APPDIR: '/tmp/.mount_x' };
  expect(
    await systemInstaller('linux', { ...mounted, APPIMAGE: '' }, '/tmp/.mount_x/waymaker'),
  ).toBeUndefined();
  // An AppImage that has started this program leaves both behind.
  expect(await systemInstaller('linux', mounted, '/opt/Waymaker/waymaker')).toBeUndefined();
  expect(await systemInstaller('freebsd', {})).toBeUndefined();
  expect(await systemInstaller('linux', mounted, '/tmp/.mount_x/waymaker')).toMatchObject({
    endsTunnel: false,
  });
  expect(await systemInstaller('darwin', {})).toMatchObject({ endsTunnel: true, reopens: false });
  expect(await systemInstaller('win32', {})).toMatchObject({ endsTunnel: true, reopens: true });
});

test('there is a network with an address that leads somewhere, unless traffic is blocked', () => {
  const at = (address: string, internal = false) => ({ address, internal }) as NetworkInterfaceInfo;
  const off = { state: 'disconnected' } as const;
  expect(hasNetwork(off, { lo: [at('127.0.0.1', true)], eth0: [at('192.0.2.1')] })).toBe(true);
  expect(hasNetwork(off, { lo: [at('127.0.0.1', true)] })).toBe(false);
  expect(hasNetwork(off, { eth0: [at('169.254.1.2'), at('fe80::1')] })).toBe(false);
  expect(hasNetwork(off, {})).toBe(false);
  expect(hasNetwork({ state: 'disconnected', blocked: true }, { eth0: [at('192.0.2.1')] })).toBe(false);
});
