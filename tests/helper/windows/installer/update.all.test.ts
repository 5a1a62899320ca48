import { link, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { signingKeys } from '../../../../packaging/manifest/signing-keys.ts';
import { eventually } from '../../../lab/runs/process.ts';
import { startFeedServer } from '../../../lab/updates/feed-server.ts';
import { createWindows, whyNoWindows } from '../../../lab/windows/windows.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { makeInstallers } from './made-installers.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

const minutes = { timeout: 240_000 };

test.skipIf(whyNoWindows() !== undefined)(
  'a program that is installed finds a newer version, refuses a changed one, and has the right one installed',
  async () => {
    await using feed = await startFeedServer();
    await using made = await makeInstallers(feed.url);
    await using windows = await createWindows();
    const { privateKeys } = await signingKeys({});
    await link(await made.make('0.1.0'), path.join(windows.folder, 'first.exe'));
    expect((await windows.run([windows.path('first.exe'), '/S'], minutes)).code).toBe(0);
    const content = await readFile(await made.make('0.2.0'));
    const say = async (...more: string[]) => {
      const command = String.raw`C:\Program Files\Waymaker\core\bin\waymaker.cmd`;
      return (await windows.run(['cmd', '/c', command, 'update', ...more], minutes)).output;
    };
    const update = async (...more: string[]) => {
      const output = await say('--json', ...more);
      return JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? output) as object;
    };

    await feed.publish('0.2.0', { keys: privateKeys, content, percentage: 0 });
    expect(await update('--check')).toEqual({ installed: '0.1.0', available: null, isStarted: false });
    expect(await say('--check')).toContain(
      'There is a newer version, 0.2.0, which some other computers get first.',
    );
    await feed.publish('0.2.0', { keys: privateKeys, content });
    expect(await update('--check')).toEqual({ installed: '0.1.0', available: '0.2.0', isStarted: false });

    const served = path.join(feed.folder, 'waymaker-core-0.2.0-x64.exe');
    const changed = Buffer.from(content);
    changed.writeUInt8(changed.readUInt8(50_000) ^ 1, 50_000);
    await writeFile(served, changed);
    expect(await update()).toMatchObject({ error: { code: 'untrusted' } });

    await writeFile(served, content);
    expect(await update()).toEqual({ installed: '0.1.0', available: '0.2.0', isStarted: true });
    const manifest = path.join(windows.drive, 'Program Files/Waymaker/core/manifest.json');
    const isNew = async () => {
      const text = await readFile(manifest, 'utf8').catch(() => '');
      return text.includes('"version": "0.2.0"') || undefined;
    };
    await eventually('the new version is there', isNew, minutes);
    const serviceRuns = async () => {
      const { output } = await windows.run(['sc', 'query', 'Waymaker']);
      return output.includes('RUNNING') || undefined;
    };
    await eventually('its service runs', serviceRuns, minutes);
  },
);
