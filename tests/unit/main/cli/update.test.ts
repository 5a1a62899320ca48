import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test, vi } from 'vitest';
import { base64Of } from '#node/manifest/signatures.ts';
import { controlContract } from '#shared/control/contract.ts';
import { createHostClient } from '#shared/host/client.ts';
import { createSay } from '#shared/texts/say.ts';
import type { CommandContext } from '../../../../src/main/cli/command-context.ts';
import { openUpdateMemory } from '../../../../src/main/updates/update-memory.ts';
import type { ControlConnection } from '../../../../src/main/control/control-connection.ts';
import { createControlHost } from '../../../../src/main/control-host.ts';
import type { Core } from '../../../../src/main/core/core.ts';
import { endProcess, eventually } from '../../../lab/runs/process.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { startFeedServer, type FeedServer } from '../../../lab/updates/feed-server.ts';
import { freePort } from '../support/free-port.ts';
import { ownAddress } from '../support/own-address.ts';
import { createTestSurroundings } from '../support/surroundings.ts';

const key = generateKeyPairSync('ed25519').privateKey;

/** Tinyproxy, which wants a password; `said` are the lines of its log. */
async function startProxy(host: string, port: number) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-proxy-'));
  const file = path.join(folder, 'tinyproxy.conf');
  await writeFile(file, `Port ${port}\nListen ${host}\nTimeout 60\nBasicAuth guest secret\nLogLevel Info\n`);
  const proxy = spawn('tinyproxy', ['-d', '-c', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  createInterface(proxy.stdout).on('line', (line) => said.push(line));
  await eventually(
    'the proxy listens',
    () => said.some((line) => /accepting connections/i.test(line)) || undefined,
  );
  return {
    said,
    async end() {
      await endProcess(proxy);
      await rm(folder, { recursive: true });
    },
  };
}

/** The part of an installed package that has updates at this feed. */
async function installed(feed: FeedServer) {
  vi.stubGlobal('updatesUrlOfThisBuild', feed.url);
  vi.stubGlobal('releaseKeysOfThisBuild', base64Of(createPublicKey(key)));
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  return await import('../../../../src/main/cli/commands/update.ts');
}

/** A terminal on which these are answered, and what was written there. */
function terminalWith(answers: string[]) {
  const written: string[] = [];
  const asked: string[] = [];
  return {
    written,
    asked,
    isTyped: true,
    out: (line: string) => void written.push(line),
    note: (line: string) => void written.push(line),
    ask(question: string) {
      asked.push(question);
      return Promise.resolve(answers.shift());
    },
    close: () => undefined,
  };
}

function controlOf(core: Core): ControlConnection {
  const listeners = new Map<string, ((payload: unknown) => void)[]>();
  const host = createControlHost({
    core,
    hello: { protocolVersion: 1, version: '0.1.0', kind: 'daemon', pid: process.pid },
    yieldCore: () => false,
    emit: (channel, payload) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload);
    },
  });
  const client = createHostClient(controlContract, {
    request: (channel, input) => host.handle(channel, input),
    subscribe(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      return () => undefined;
    },
  });
  return {
    core: { protocolVersion: 1, version: '0.1.0', kind: 'daemon', pid: process.pid, language: 'system' },
    client,
    closed: new Promise(() => undefined),
    close: () => undefined,
  };
}

const contextOf = (more: Pick<CommandContext, 'profile' | 'terminal' | 'core'>): CommandContext => ({
  env: {},
  platform: 'win32',
  version: '0.1.0',
  say: createSay('en', 'linux'),
  language: () => 'en',
  isJson: true,
  interrupted: new AbortController().signal,
  ...more,
});

test(
  'updates come through the proxy that leads out of this network, whose password is asked on the terminal',
  async () => {
    await using feed = await startFeedServer();
    await feed.publish('0.2.0', { keys: [key] });
    const { update } = await installed(feed);
    const [own, port] = [ownAddress(), await freePort()];
    await using around = await createTestSurroundings();
    const core = around.startCore({ HTTPS_PROXY: `http://${own}:${port}` });
    const profile = await mkdtemp(path.join(os.tmpdir(), 'waymaker-profile-'));
    onTestFinished(() => rm(profile, { recursive: true }));
    const connection = controlOf(core);
    async function look(...answers: string[]) {
      const terminal = terminalWith(answers);
      const context = contextOf({ profile, terminal, core: () => Promise.resolve(connection) });
      const outcome = await update(context, { isCheck: true }).catch((error: unknown) => error);
      return { outcome, ...terminal };
    }

    // No other way is tried: it might not be the one that its user, or their network, wants.
    expect((await look()).outcome).toMatchObject({ code: 'network' });
    const proxy = await startProxy(own, port);
    onTestFinished(() => proxy.end());
    expect((await look()).outcome, 'nobody can type it').toMatchObject({ code: 'proxy-credentials' });
    const { outcome, asked, written } = await look('guest', 'secret');
    expect(asked).toEqual(['User name: ', 'Password: ']);
    expect(outcome).toBe(0);
    expect(JSON.parse(written.at(-1) ?? '')).toMatchObject({ installed: '0.1.0', available: '0.2.0' });
    const { host } = new URL(feed.url);
    await vi.waitFor(() =>
      expect(proxy.said.filter((line) => line.includes(host)).length).toBeGreaterThan(1),
    );
    // It is known from then on.
    expect((await look()).outcome).toBe(0);
  },
  waitLimit(60_000),
);

// Where pgrep finds programs as on macOS (procps).
test.skipIf(process.platform !== 'linux')(
  'while the installer still runs that it has started, the command does not say that it has failed, nor starts another one',
  async () => {
    await using feed = await startFeedServer();
    await feed.publish('0.2.0', { keys: [key], product: `waymaker-core-darwin-${process.arch}` });
    const { update } = await installed(feed);
    await using around = await createTestSurroundings();
    const connection = controlOf(around.startCore());
    const profile = await mkdtemp(path.join(os.tmpdir(), 'waymaker-profile-'));
    onTestFinished(() => rm(profile, { recursive: true }));
    const memory = openUpdateMemory(path.join(profile, 'updates'));
    memory.started.set('0.2.0');
    const installer = path.join(profile, 'Installer');
    await copyFile('/bin/sleep', installer);
    const running = spawn(installer, ['600'], { stdio: 'ignore' });
    onTestFinished(() => endProcess(running));
    await once(running, 'spawn');
    async function run(isCheck: boolean) {
      const terminal = terminalWith([]);
      const core = () => Promise.resolve(connection);
      const context = { ...contextOf({ profile, terminal, core }), platform: 'darwin' as const };
      const outcome = await update(context, { isCheck }).catch((error: unknown) => error);
      return { outcome, written: terminal.written.join('\n') };
    }

    const again = await run(false);
    expect(again.outcome).toMatchObject({ code: 'busy' });
    expect(again.written).not.toContain('could not be installed');
    const look = await run(true);
    expect(look.outcome).toBe(0);
    expect(look.written).toContain('still running');
    expect(memory.started.get()).toBe('0.2.0');

    await endProcess(running);
    expect((await run(true)).written).toContain('0.2.0 could not be installed');
  },
  waitLimit(60_000),
);
