import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';

const scripts = path.resolve(import.meta.dirname, '../../../packaging/linux/scripts/common.sh');

/** A folder with a program in the place of the runtime, which runs until it is ended. */
function createFolder(name: string) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'waymaker-scripts-'));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const folder = path.join(scratch, name);
  mkdirSync(folder);
  const runtime = path.join(folder, 'node');
  /** As package managers replace a file. */
  const install = () => {
    copyFileSync(realpathSync('/bin/sleep'), `${runtime}.new`);
    renameSync(`${runtime}.new`, runtime);
  };
  install();
  return { folder, runtime, install };
}

async function start(program: string): Promise<ChildProcess> {
  const started = spawn(program, ['600'], { stdio: 'ignore' });
  onTestFinished(() => void started.kill('SIGKILL'));
  await once(started, 'spawn');
  return started;
}

const runIn = (folder: string, step: string) =>
  promisify(execFile)('/bin/sh', ['-c', `set -e; . "$1"; folder=$2; ${step}`, 'sh', scripts, folder]);

const onLinux = test.runIf(process.platform === 'linux');

onLinux(
  'a removal ends what runs on our runtime, also since before an upgrade, and nothing else',
  async () => {
    const ours = createFolder('our own');
    const others = createFolder('other');
    const before = await start(ours.runtime);
    const replaced = await start(others.runtime);
    ours.install();
    others.install();
    const untouched = await start(others.runtime);
    const after = await start(ours.runtime);
    await runIn(ours.folder, 'end_programs');
    await vi.waitFor(() =>
      expect([before, after].map(({ signalCode }) => signalCode)).toEqual(['SIGTERM', 'SIGTERM']),
    );
    for (const { exitCode, signalCode } of [replaced, untouched])
      expect([exitCode, signalCode]).toEqual([null, null]);
  },
);
