import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { generateKeyPairSync, createPublicKey } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signFolder } from '../../../../packaging/manifest/sign-folder.ts';
import { checkFolder, findReplaced } from '../../../../src/node/manifest/check-folder.ts';

/** Somebody exchanges a file while a folder is checked and used, as fast as they can. */

const product = 'waymaker-core';
const privateKey = generateKeyPairSync('ed25519').privateKey;
const trusted = [createPublicKey(privateKey)];
/** How often it is tried, at most: far more often than any of the outcomes needs. */
const maxTurns = 50_000;

let scratch: string;
let folder: string;

beforeEach(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'waymaker-exchanged-'));
  folder = path.join(scratch, 'tree');
  await mkdir(path.join(folder, 'helper'), { recursive: true });
  for (const name of ['node', 'helper/helper.mjs', 'helper/proxy.mjs'])
    await writeFile(path.join(folder, name), 'right');
  await signFolder({ folder, product, version: '1.2.3', privateKeys: [privateKey] });
});

afterEach(() => rm(scratch, { recursive: true, force: true }));

/**
 * Puts one content and the other in the file's place, each as a new file, until it is disposed. Now and then it waits
 * for so long that a slow machine, too, checks and uses a file that stays.
 */
async function exchange(name: string, other: string | Buffer): Promise<AsyncDisposable> {
  const file = path.join(folder, name);
  const contents = [path.join(scratch, 'one'), path.join(scratch, 'other')];
  await writeFile(contents[0] ?? '', readFileSync(file));
  await writeFile(contents[1] ?? '', other);
  const script = `
    const fs = require('node:fs');
    const [, file, next, ...contents] = process.argv;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let turn = 0; ; turn += 1) {
      fs.copyFileSync(contents[turn % 2], next);
      fs.renameSync(next, file);
      if (turn === 0) console.log('begun');
      Atomics.wait(pause, 0, 0, Math.random() < 0.02 ? 100 : Math.random() * 3);
    }`;
  const child = spawn(process.execPath, ['-e', script, file, path.join(scratch, 'next'), ...contents], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('a program of ours is never used as it should not be without that being found', async () => {
  const file = path.join(folder, 'helper/proxy.mjs');
  await using _ = await exchange('helper/proxy.mjs', 'wrong');
  const count = { refused: 0, replaced: 0, right: 0, found: 0 };
  const isSeen = () => Object.values(count).every((one) => one > 0);
  for (let turn = 0; turn < maxTurns && !isSeen(); turn += 1) {
    const checked = await checkFolder({ folder, product, trusted });
    if (!checked.ok) {
      count.refused += 1;
      continue;
    }
    const { manifest, seen } = checked;
    if (findReplaced(folder, manifest, seen)) {
      count.replaced += 1;
      continue;
    }
    const used = readFileSync(file, 'utf8');
    const problem = findReplaced(folder, manifest, seen, { isStrict: true });
    if (used !== 'right') expect(problem).toMatchObject({ path: 'helper/proxy.mjs' });
    count[problem ? 'found' : 'right'] += 1;
  }
  expect(isSeen(), JSON.stringify(count)).toBe(true);
});

test('a list that somebody else has signed is never taken for ours', async () => {
  const foreign = path.join(scratch, 'foreign');
  await mkdir(foreign);
  await writeFile(path.join(foreign, 'node'), 'wrong');
  const { privateKey: foreignKey } = generateKeyPairSync('ed25519');
  await signFolder({ folder: foreign, product, version: '9.9.9', privateKeys: [foreignKey] });
  await using _ = await exchange('manifest.json', readFileSync(path.join(foreign, 'manifest.json')));
  const kinds = new Set<string>();
  for (let turn = 0; turn < maxTurns && !(kinds.has('good') && kinds.has('wrong-signature')); turn += 1) {
    const checked = await checkFolder({ folder, product, trusted });
    if (checked.ok) expect(checked.manifest.version).toBe('1.2.3');
    kinds.add(checked.ok ? 'good' : checked.problem.kind);
  }
  expect([...kinds]).toEqual(expect.arrayContaining(['good', 'wrong-signature']));
});
