import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import type { CommandContext } from '../../../../src/main/cli/command-context.ts';
import { reset } from '../../../../src/main/cli/commands/reset.ts';
import { createTerminal } from '../../../../src/main/cli/terminal.ts';
import { openKeptFile } from '../../../../src/main/preferences/kept-file.ts';
import { startDesktopSession } from '../../../lab/desktop/desktop-session.ts';
import { startSystemProxy } from '../support/start-system-proxy.ts';

function contextOf(given: Pick<CommandContext, 'env' | 'platform' | 'profile'>) {
  const notes = new PassThrough();
  const terminal = createTerminal({ input: new PassThrough(), output: new PassThrough(), notes });
  onTestFinished(() => terminal.close());
  const context: CommandContext = {
    ...given,
    version: '1.0.0',
    say: createSay('en', given.platform === 'win32' ? 'windows' : 'linux'),
    language: () => 'en',
    terminal,
    isJson: false,
    core: () => Promise.reject(new Error('none can be started')),
    interrupted: new AbortController().signal,
  };
  return { context, noted: () => String(notes.read() ?? '') };
}

test('downloads of updates are removed where they are not in the profile, and nothing beside them', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-reset-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const local = path.join(folder, 'Local');
  const updates = path.join(local, 'Waymaker', 'updates');
  await mkdir(updates, { recursive: true });
  await writeFile(path.join(updates, 'installer.exe'), 'MZ');
  await writeFile(path.join(local, 'of another program'), '');
  const { context } = contextOf({
    // The profile itself is not there: nothing has been started yet, but for a download.
    env: { APPDATA: path.join(folder, 'Roaming'), LOCALAPPDATA: local, XDG_CONFIG_HOME: folder },
    platform: 'win32',
    profile: path.join(folder, 'Roaming', 'Waymaker'),
  });
  await reset(context, { isSure: true });
  expect(await readdir(path.join(local, 'Waymaker'))).toEqual([]);
  expect((await readdir(local)).toSorted()).toEqual(['Waymaker', 'of another program']);
});

test.runIf(process.platform === 'linux')(
  'proxy settings that an app has left are put back before it is forgotten what they were',
  async () => {
    await using session = await startDesktopSession();
    const profile = path.join(session.directory, '.config', 'Waymaker');
    const schema = 'org.gnome.system.proxy';
    const script = async () => (await session.user('gsettings', 'get', schema, 'autoconfig-url')).trim();
    await session.user('gsettings', 'set', schema, 'autoconfig-url', 'http://wpad.example/wpad.dat');
    const app = startSystemProxy('GNOME', session.run, openKeptFile(profile, 'settings'));
    expect(await app.use('http://127.0.0.1:40123/0123456789abcdef.pac')).toBe(true);

    const { context, noted } = contextOf({
      env: { ...session.env, WAYMAKER_USER_DATA: profile },
      platform: 'linux',
      profile,
    });
    await reset(context, { isSure: true });
    expect(await script()).toBe("'http://wpad.example/wpad.dat'");
    expect(noted()).toBe('');
    expect(existsSync(profile)).toBe(false);
  },
);
