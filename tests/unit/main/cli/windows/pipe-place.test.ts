import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { controlPlace } from '../../../../../src/main/control/control-place.ts';

/**
 * Pipes are in one folder for all users of a computer, and whoever makes one first gets what others send to it (atom
 * 19109, CVE-2024-4877 of OpenVPN).
 */

function temporaryProfile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-pipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'Waymaker');
}

const placeOf = (profile: string) => controlPlace(profile, { env: {}, platform: 'win32' });
const keyOf = (profile: string) => path.join(profile, 'control-key');

test('the names of the pipes cannot be told from what other users know of the profile', () => {
  const profile = temporaryProfile();
  const before = placeOf(profile);
  expect(placeOf(profile)).toEqual(before);
  expect(before.socketPath).toMatch(/^\\\\\.\\pipe\\waymaker-core-[0-9a-f]{32}$/);
  expect(before.lockPath).toMatch(/^\\\\\.\\pipe\\waymaker-lock-[0-9a-f]{32}$/);
  const key = readFileSync(keyOf(profile), 'utf8');
  expect(`${before.socketPath} ${before.lockPath}`).not.toContain(key.slice(0, 12));
  expect(statSync(keyOf(profile)).mode & 0o077).toBe(0);
  rmSync(keyOf(profile));
  const after = placeOf(profile);
  expect(after.socketPath).not.toBe(before.socketPath);
  expect(after.lockPath).not.toBe(before.lockPath);
});

test.each(['', 'half', 'x'.repeat(64)])('a key that is damaged (“%s”) is replaced', (damaged) => {
  const profile = temporaryProfile();
  const before = placeOf(profile);
  writeFileSync(keyOf(profile), damaged);
  const after = placeOf(profile);
  expect(after.socketPath).not.toBe(before.socketPath);
  expect(placeOf(profile)).toEqual(after);
});

test('programs that start at once agree on a name', async () => {
  const profile = temporaryProfile();
  const program = path.join(path.dirname(profile), 'place.mjs');
  const source = path.resolve(import.meta.dirname, '../../../../../src/main/control/windows/control-key.ts');
  const code = `import { controlKey } from ${JSON.stringify(source)};\nconsole.log(controlKey(${JSON.stringify(profile)}));\n`;
  writeFileSync(program, code);
  const start = async () => (await promisify(execFile)(process.execPath, [program])).stdout.trim();
  const told = await Promise.all(Array.from({ length: 6 }, start));
  expect(told[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(told).size).toBe(1);
});
