import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import { reset } from '../../../../src/main/cli/commands/reset.ts';
import { createTerminal } from '../../../../src/main/cli/terminal.ts';

test('downloads of updates are removed where they are not in the profile, and nothing beside them', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-reset-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const local = path.join(folder, 'Local');
  const updates = path.join(local, 'Waymaker', 'updates');
  await mkdir(updates, { recursive: true });
  await writeFile(path.join(updates, 'installer.exe'), 'MZ');
  await writeFile(path.join(local, 'of another program'), '');
  const say = createSay('en', 'windows');
  const streams = { input: new PassThrough(), output: new PassThrough(), notes: new PassThrough() };
  const terminal = createTerminal(streams);
  onTestFinished(() => terminal.close());
  await reset(
    {
      // The profile itself is not there: nothing has been started yet, but for a download.
      env: { APPDATA: path.join(folder, 'Roaming'), LOCALAPPDATA: local, XDG_CONFIG_HOME: folder },
      platform: 'win32',
      profile: path.join(folder, 'Roaming', 'Waymaker'),
      version: '1.0.0',
      say,
      language: () => 'en',
      terminal,
      isJson: false,
      core: () => Promise.reject(new Error('nobody asks for one')),
      interrupted: new AbortController().signal,
    },
    { isSure: true },
  );
  expect(await readdir(path.join(local, 'Waymaker'))).toEqual([]);
  expect((await readdir(local)).toSorted()).toEqual(['Waymaker', 'of another program']);
});
