import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isExecutable } from '#node/os/posix/executable.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'waymaker-executable-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test.skipIf(process.platform === 'win32')('a file counts as a program if it may be run, to root, too', () => {
  const file = path.join(folder, 'program');
  expect(isExecutable(file)).toBe(false);
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 });
  expect(isExecutable(file)).toBe(false);
  const program = path.join(folder, 'other');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  expect(isExecutable(program)).toBe(true);
});
