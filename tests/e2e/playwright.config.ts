import path from 'node:path';
import { defineConfig } from 'playwright/test';
import { isExhaustive } from '../lab/runs/thoroughness.ts';
import { waitLimit } from '../lab/runs/wait-limit.ts';

const results = path.resolve(import.meta.dirname, '../../out/test-results');

export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '*.spec.ts',
  testIgnore: isExhaustive ? [] : '*.all.spec.ts',
  outputDir: path.join(results, 'e2e'),
  globalSetup: './support/host/prepare-host.ts',
  // Each worker has a laboratory, two services and two browsers of its own, which take as much of the processors as
  // several tests.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // On an idle machine; the tests' own fixture makes it longer on a busy one.
  timeout: 90_000,
  // Anew for each worker.
  expect: {
    timeout: waitLimit(20_000),
    toHaveScreenshot: { animations: 'disabled', caret: 'hide', scale: 'css' },
  },
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  reporter: [
    ['list'],
    ['json', { outputFile: path.join(results, 'e2e.json') }],
    ['../../scripts/tally/playwright-reporter.ts'],
  ],
});
