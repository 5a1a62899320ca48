import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { downloadedElectron } from '../../../scripts/start/electron-download.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

let folder = '';
const inFolder = (name: string) => path.join(folder, name);
const attempts = async () => (await readFile(inFolder('attempts'), 'utf8').catch(() => '')).length;
const said = vi.spyOn(console, 'log').mockImplementation(() => undefined);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-'));
});
afterEach(async () => {
  said.mockClear();
  await rm(folder, { recursive: true });
});

/** Starts with an installer that notes each attempt, and then does this. */
async function start(installer: string, stop = new AbortController().signal, failureFile = 'failed') {
  const note = `require('node:fs').appendFileSync(${JSON.stringify(inFolder('attempts'))}, '.');`;
  await writeFile(inFolder('install.cjs'), `${note}\n${installer}`);
  return await downloadedElectron({
    installer: inFolder('install.cjs'),
    failureFile: inFolder(failureFile),
    binary: () => (existsSync(inFolder('electron')) ? inFolder('electron') : undefined),
    stop,
  });
}

const fails = 'process.exit(1)';
const succeeds = () => `require('node:fs').writeFileSync(${JSON.stringify(inFolder('electron'))}, '')`;

test('a failed download is explained once, and not repeated for a day', async () => {
  expect(await start(fails)).toBeUndefined();
  expect(said.mock.lastCall?.[0]).toMatch(/could not be downloaded.*after a day/);
  said.mockClear();
  expect(await start(succeeds())).toBeUndefined();
  expect(await attempts()).toBe(1);
  expect(said).not.toHaveBeenCalled();

  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(inFolder('failed'), yesterday, yesterday);
  expect(await start(succeeds())).toBe(inFolder('electron'));
  expect(await attempts()).toBe(2);
  expect(existsSync(inFolder('failed'))).toBe(false);
});

test('where a failure cannot be noted, the start goes on', async () => {
  expect(await start(fails, undefined, 'missing/failed')).toBeUndefined();
});

test('a binary that somebody has downloaded by hand is used at once', async () => {
  await start(fails);
  await writeFile(inFolder('electron'), '');
  expect(await start(fails)).toBe(inFolder('electron'));
  expect(await attempts()).toBe(1);
});

test('Ctrl-C ends a download that hangs, which does not count as failed', async () => {
  const stopping = new AbortController();
  const started = start('setInterval(() => {}, 1000)', stopping.signal);
  await vi.waitFor(async () => expect(await attempts()).toBe(1), { timeout: waitLimit(60_000) });
  stopping.abort();
  expect(await started).toBeUndefined();
  expect(existsSync(inFolder('failed'))).toBe(false);
});
