import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';

test('idle pause 5 min, expire 15 min: the idle times of specification §9 are those that the replay library keeps to by itself', async () => {
  const browser = createRequire(import.meta.url).resolve('@sentry/browser/package.json');
  const replay = path.join(browser, '../../replay/build/npm/types/constants.d.ts');
  const declared = await readFile(replay, 'utf8');
  expect(declared).toContain(`SESSION_IDLE_PAUSE_DURATION = ${5 * 60 * 1000};`);
  expect(declared).toContain(`SESSION_IDLE_EXPIRE_DURATION = ${15 * 60 * 1000};`);
});
