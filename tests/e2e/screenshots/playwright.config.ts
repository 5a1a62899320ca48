import { defineConfig } from 'playwright/test';
import tests from '../playwright.config.ts';

/** With the tests' limits on waiting, which grow with the load, but without one on the whole. */
export default defineConfig({
  expect: tests.expect ?? {},
  testDir: import.meta.dirname,
  testMatch: 'every-screen.ts',
  outputDir: '../../../out/test-results/screenshots',
  globalSetup: '../support/host/prepare-host.ts',
  workers: 1,
  timeout: 0,
  reporter: 'list',
});
