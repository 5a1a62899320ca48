import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errorReporting } from '../../../src/shared/constants.ts';

test('the idle times of specification §9 are those that the replay library keeps to by itself', async () => {
  const browser = createRequire(import.meta.url).resolve('@sentry/browser/package.json');
  const replay = path.join(browser, '../../replay/build/npm/types/constants.d.ts');
  const declared = await readFile(replay, 'utf8');
  const { replayIdlePauseSeconds, replayIdleExpireSeconds } = errorReporting;
  expect(declared).toContain(`SESSION_IDLE_PAUSE_DURATION = ${replayIdlePauseSeconds * 1000};`);
  expect(declared).toContain(`SESSION_IDLE_EXPIRE_DURATION = ${replayIdleExpireSeconds * 1000};`);
});
