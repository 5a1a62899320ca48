import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setFuses, wrongFuses } from '../../../packaging/desktop/fuses.ts';
import { fuseWire, unsetFuses } from './support/electron-files.ts';

let folder: string;
let binary: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-fuses-'));
  binary = path.join(folder, 'electron');
});
afterAll(() => rm(folder, { recursive: true }));

test('what a packaged Electron may not do is switched off in its binary, and nothing else changes', async () => {
  const before = Buffer.from(`before${unsetFuses}after`, 'latin1');
  await writeFile(binary, before);
  expect(await wrongFuses(binary, 'linux')).toContain('runAsNode');
  await setFuses(binary, 'linux');
  expect(await wrongFuses(binary, 'linux')).toEqual([]);
  const after = await readFile(binary);
  // In the order of Electron's build/fuses/fuses.json5: 1 is on, and the ninth, for WebAssembly, is left as it was.
  expect(fuseWire(after)).toBe('000001001');
  expect(after.length).toBe(before.length);
  expect(after.toString('latin1')).toMatch(/^before.*after$/s);
});

test('a fuse that reads back differently is named', async () => {
  const binaryText = (await readFile(binary)).toString('latin1');
  await writeFile(binary, binaryText.replace('000001001', '100001001'), 'latin1');
  expect(await wrongFuses(binary, 'linux')).toEqual(['runAsNode']);
});

test.each(['win32', 'darwin'] as const)(
  'on %s, the app’s archive is compared with its hash, too',
  async (platform) => {
    await writeFile(binary, unsetFuses, 'latin1');
    await setFuses(binary, platform);
    expect(fuseWire(await readFile(binary))).toBe('000011001');
    expect(await wrongFuses(binary, platform)).toEqual([]);
    expect(await wrongFuses(binary, 'linux')).toEqual(['enableEmbeddedAsarIntegrityValidation']);
  },
);

test('a file without fuses is refused', async () => {
  await writeFile(binary, 'another program');
  await expect(setFuses(binary, 'linux')).rejects.toThrow('sentinel');
});
