import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { UpdateView } from '#shared/host/updates-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createAppUpdates, type AppUpdatesOptions } from '../../../../src/main/updates/app-updates.ts';
import { lockDownloads } from '../../../../src/main/updates/download-lock.ts';
import type { InstallerOutcome, UpdateInstaller } from '../../../../src/main/updates/update-installer.ts';
import { openUpdateMemory } from '../../../../src/main/updates/update-memory.ts';
import { clientOf, startFeedServer, type FeedServer } from '../../../lab/updates/feed-server.ts';
import { createTestLog } from '../support/log.ts';

const key = generateKeyPairSync('ed25519').privateKey;
const trusted = [createPublicKey(key)];
const gateway = { host: 'gateway.example', port: 443 };
const disconnected: TunnelState = { state: 'disconnected' };
const connecting = (ownedByOther = false): TunnelState => ({
  state: 'connecting',
  gateway,
  attempt: 1,
  phase: 'resolving',
  ...(ownedByOther && { ownedByOther: true }),
});

interface Played {
  tunnel: TunnelState;
  killSwitch: boolean;
  isMetered: boolean;
  /** What becomes of the installer, such as whether somebody allows it. */
  outcome: InstallerOutcome;
  /** Whether another one runs. */
  isRunning: boolean;
}

/** The app with a version installed, whose installer keeps the content that it was started with. */
async function appOf(
  server: FeedServer,
  played: Partial<Played> = {},
  more: Partial<AppUpdatesOptions> = {},
) {
  const now: Played = {
    tunnel: disconnected,
    killSwitch: false,
    isMetered: false,
    outcome: 'started',
    isRunning: false,
    ...played,
  };
  const memory = openUpdateMemory(path.join(server.downloads, '../memory'));
  const { log, text } = createTestLog();
  const installed: { content: string; opensAgain: boolean }[] = [];
  const left: string[] = [];
  const told: UpdateView[] = [];
  const updates = await createAppUpdates({
    source: { ...clientOf(server, trusted), seen: memory.seen, installation: memory.installation },
    memory,
    folder: server.downloads,
    installer: {
      endsTunnel: true,
      reopens: true,
      async start(file, { opensAgain, onBegun }) {
        if (now.outcome !== 'started') return now.outcome;
        installed.push({ content: await readFile(file, 'utf8'), opensAgain });
        onBegun();
        return 'started';
      },
      isRunning: () => Promise.resolve(now.isRunning),
    },
    tunnel: () => now.tunnel,
    killSwitch: () => now.killSwitch,
    isMetered: () => Promise.resolve(now.isMetered),
    leave: () => void left.push('left'),
    log,
    ...more,
  });
  updates.onChange((view) => told.push(view));
  return { updates, now, memory, installed, left, told, log: text, state: () => updates.view().state };
}

const publish = (server: FeedServer, version: string, more: { content?: Buffer; percentage?: number } = {}) =>
  server.publish(version, { keys: [key], ...more });

test('a newer version is found, downloaded with its progress, and installed at a click, which ends the app', async () => {
  await using server = await startFeedServer();
  const content = Buffer.from('x'.repeat(40_000));
  await publish(server, '0.2.0', { content });
  const app = await appOf(server);
  expect(app.state()).toEqual({ kind: 'unknown' });
  expect(await app.updates.check()).toBe(true);
  const kinds = [...new Set(app.told.map(({ state }) => state.kind))];
  expect(kinds).toEqual(['checking', 'downloading', 'ready']);
  const progress = app.told.flatMap(({ state }) => (state.kind === 'downloading' ? [state.received] : []));
  expect(progress.length).toBeGreaterThan(5);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  expect(progress.at(-1)).toBe(content.length);
  expect(app.installed).toEqual([]);

  await app.updates.install();
  expect(app.installed).toEqual([{ content: content.toString(), opensAgain: true }]);
  expect(app.left).toEqual(['left']);
  expect(app.memory.started.get()).toBe('0.2.0');
});

test('what is ready stays so while nothing changes, is replaced by a newer version, and is dropped when it is withdrawn', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const app = await appOf(server);
  await app.updates.check();
  const sent = server.sent();
  await app.updates.check();
  expect(app.state()).toEqual({ kind: 'ready', version: '0.2.0', held: null });
  expect(server.sent()).toBe(sent);

  await publish(server, '0.3.0');
  await app.updates.check();
  expect(app.state()).toMatchObject({ kind: 'ready', version: '0.3.0' });

  await publish(server, '0.3.0', { percentage: 0 });
  await app.updates.install();
  expect(app.state()).toEqual({ kind: 'current' });
  expect(app.installed).toEqual([]);
  expect(app.left).toEqual([]);
});

test('a version that appears between the download and the click is not installed unseen', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const app = await appOf(server);
  await app.updates.check();
  await publish(server, '0.3.0');
  await app.updates.install();
  expect(app.installed).toEqual([]);
  expect(app.state()).toMatchObject({ kind: 'ready', version: '0.3.0' });
  await app.updates.install();
  expect(app.installed).toMatchObject([{ content: 'installer 0.3.0' }]);
});

test.each([
  ['without the kill switch', { tunnel: connecting() }, 'would-open'],
  ['of another user', { tunnel: connecting(true), killSwitch: true }, 'would-open-other'],
] as const)('nothing is installed while there is a tunnel %s, and then says why', async (_, played, held) => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const app = await appOf(server, played);
  await app.updates.check();
  await app.updates.install();
  expect(app.state()).toEqual({ kind: 'ready', version: '0.2.0', held });
  await app.updates.installAtQuit();
  expect(app.installed).toEqual([]);
  expect(app.left).toEqual([]);

  app.now.tunnel = disconnected;
  await app.updates.install();
  expect(app.installed).toHaveLength(1);
});

test('with the kill switch on, a click installs although there is a tunnel, but quitting does not end it', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const app = await appOf(server, { tunnel: connecting(), killSwitch: true });
  await app.updates.check();
  await app.updates.installAtQuit();
  expect(app.installed).toEqual([]);
  await app.updates.install();
  expect(app.installed).toMatchObject([{ opensAgain: true }]);
});

test('an installer that leaves the helper alone installs whatever the tunnel does', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const started: boolean[] = [];
  const installer: UpdateInstaller = {
    endsTunnel: false,
    reopens: true,
    start: (_, { opensAgain }) => {
      started.push(opensAgain);
      return Promise.resolve('started');
    },
    isRunning: () => Promise.resolve(false),
  };
  const app = await appOf(server, { tunnel: connecting() }, { installer });
  await app.updates.check();
  await app.updates.installAtQuit();
  expect(started).toEqual([false]);
});

test('quitting installs what is ready, and does not open the app again', async () => {
  await using server = await startFeedServer();
  const app = await appOf(server);
  await app.updates.installAtQuit();
  expect(app.installed).toEqual([]);
  await publish(server, '0.2.0');
  await app.updates.check();
  await app.updates.installAtQuit();
  expect(app.installed).toEqual([{ content: 'installer 0.2.0', opensAgain: false }]);
  // Whatever ends the app ends it once.
  await app.updates.installAtQuit();
  await app.updates.install();
  expect(app.installed).toHaveLength(1);
});

test.each([
  ['whoever did not allow an installer is not asked', 'not-started'],
  ['an AppImage that its user may not replace is not tried', 'not-writable'],
  ['an AppImage that cannot be replaced is not tried', 'not-replaced'],
] as const)('%s at every quit, but at their own click, and the reason is told', async (_, outcome) => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const app = await appOf(server, { outcome });
  await app.updates.check();
  await app.updates.install();
  expect(app.state()).toEqual({ kind: 'ready', version: '0.2.0', held: outcome });
  expect(app.memory.started.get()).toBeUndefined();
  app.now.outcome = 'started';
  await app.updates.check();
  await app.updates.installAtQuit();
  expect(app.installed).toEqual([]);
  await app.updates.install();
  expect(app.installed).toHaveLength(1);
});

test('an installation that did not succeed is told at the next start, and not tried again at quit', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const first = await appOf(server);
  await first.updates.check();
  await first.updates.install();
  // The same version starts again, twice.
  for (let starts = 0; starts < 2; starts += 1) {
    const next = await appOf(server);
    expect(next.updates.view().failedVersion).toBe('0.2.0');
    await next.updates.check();
    await next.updates.installAtQuit();
    expect(next.installed).toEqual([]);
  }
  await publish(server, '0.3.0');
  const later = await appOf(server);
  await later.updates.check();
  await later.updates.installAtQuit();
  expect(later.installed).toMatchObject([{ content: 'installer 0.3.0' }]);
});

test('while its installer still runs, a version has not failed, and no other one is started', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const first = await appOf(server);
  await first.updates.check();
  await first.updates.install();
  // Somebody opens the same version again meanwhile.
  const next = await appOf(server, { isRunning: true });
  expect(next.updates.view().failedVersion).toBeNull();
  await next.updates.check();
  await next.updates.install();
  expect(next.state()).toEqual({ kind: 'ready', version: '0.2.0', held: 'running' });
  await next.updates.installAtQuit();
  expect(next.installed).toEqual([]);
  expect(next.memory.started.get()).toBe('0.2.0');

  next.now.isRunning = false;
  await next.updates.check();
  expect(next.updates.view().failedVersion).toBe('0.2.0');
  await next.updates.install();
  expect(next.installed).toHaveLength(1);
});

test('on a metered network a version is found, but only downloaded at a click unless it is there already', async () => {
  await using server = await startFeedServer();
  const content = randomBytes(5_000);
  await publish(server, '0.2.0', { content });
  const app = await appOf(server, { isMetered: true });
  expect(await app.updates.check()).toBe(true);
  expect(app.state()).toEqual({ kind: 'metered', version: '0.2.0', size: content.length });
  expect(server.sent()).toBe(0);
  await app.updates.download();
  expect(app.state()).toMatchObject({ kind: 'ready' });
  const again = await appOf(server, { isMetered: true });
  await again.updates.check();
  expect(again.state()).toMatchObject({ kind: 'ready' });
  expect(server.sent()).toBe(content.length);
});

test('a version that other computers get first is downloaded at a click', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0', { percentage: 1e-9 });
  const app = await appOf(server);
  await app.updates.check();
  expect(app.state()).toEqual({ kind: 'later', version: '0.2.0' });
  await app.updates.download();
  expect(app.state()).toMatchObject({ kind: 'ready', version: '0.2.0' });
  // It stays so although it is still not this computer's turn.
  await app.updates.check();
  expect(app.state()).toMatchObject({ kind: 'ready', version: '0.2.0' });
});

test('each failure is told with its own word, asks to be tried again, and takes nothing away that was ready', async () => {
  await using server = await startFeedServer();
  const app = await appOf(server);
  const failed = async (problem: string) => {
    expect(await app.updates.check()).toBe(false);
    expect(app.state()).toEqual({ kind: 'failed', problem });
  };
  await failed('unreachable');
  await server.publish('0.2.0', { keys: [generateKeyPairSync('ed25519').privateKey] });
  await failed('untrusted');
  await server.publish('0.2.0', { keys: [key], product: 'waymaker-core-darwin-arm64' });
  await failed('other-product');
  const content = randomBytes(200_000);
  await publish(server, '0.2.1', { content });
  server.cutAfter(server.sent() + 100_000);
  await failed('unreachable');
  const served = path.join(server.folder, 'waymaker-core-0.2.1-x64.exe');
  await writeFile(served, Buffer.alloc(content.length));
  await failed('damaged');
  await writeFile(served, content);
  {
    using lock = await lockDownloads(server.downloads);
    expect(lock).toBeDefined();
    await failed('busy');
  }
  expect(await app.updates.check()).toBe(true);
  await rm(server.folder, { recursive: true });
  expect(await app.updates.check()).toBe(false);
  expect(app.state()).toMatchObject({ kind: 'ready' });
});

test('a download that somebody has changed since is not installed', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  const app = await appOf(server);
  await app.updates.check();
  const [name = ''] = (await readdir(server.downloads)).filter((one) => one.endsWith('.exe'));
  await writeFile(path.join(server.downloads, name), 'installer 6.6.6');
  // Nobody can be asked for another one.
  await rm(server.folder, { recursive: true });
  await app.updates.install();
  expect(app.installed).toEqual([]);
  expect(app.left).toEqual([]);
  expect(app.state()).toEqual({ kind: 'failed', problem: 'damaged' });
});

test('what breaks in a way that nobody expects is logged, and tried again', async () => {
  await using server = await startFeedServer();
  await publish(server, '0.2.0');
  await mkdir(path.dirname(server.downloads), { recursive: true });
  await writeFile(server.downloads, 'a file where the folder should be');
  const app = await appOf(server);
  expect(await app.updates.check()).toBe(false);
  expect(app.log()).toContain('ENOTDIR');
  await rm(server.downloads);
  expect(await app.updates.check()).toBe(true);
});

test('an app that ends stops downloading, keeps what it has, and says no more', async () => {
  await using server = await startFeedServer();
  const content = randomBytes(400_000);
  await publish(server, '0.2.0', { content });
  const app = await appOf(server);
  app.updates.onChange(({ state }) => {
    if (state.kind === 'downloading' && state.received > 100_000) app.updates.close();
  });
  await app.updates.check();
  expect(app.state().kind).toBe('downloading');
  expect((await readdir(server.downloads)).filter((name) => !name.endsWith('.blockmap'))).toEqual([
    expect.stringMatching(/\.part$/),
  ]);
  const next = await appOf(server);
  await next.updates.check();
  expect(next.state()).toMatchObject({ kind: 'ready' });
  const [, first] = next.told.flatMap(({ state }) => (state.kind === 'downloading' ? [state.received] : []));
  expect(first).toBeGreaterThan(100_000);
});
