import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import playwrightConfig from '../../e2e/playwright.config.ts';
import vitestConfig from '../../../vitest.config.ts';
import { root } from '../../e2e/support/host/paths.ts';

/** A test that passes at its second attempt only shows a race, which nobody would look for. */

test('no runner tries a test again', () => {
  expect(playwrightConfig.retries ?? 0).toBe(0);
  expect(JSON.stringify(vitestConfig)).not.toContain('"retry"');
  const started = globSync(['package.json', '.ci/run', 'scripts/**/*.{ts,js}', '.github/workflows/*.yml'], {
    cwd: root,
  });
  expect(started.length).toBeGreaterThan(20);
  expect(
    started.filter((file) => /--retr(?:y|ies)/.test(readFileSync(path.join(root, file), 'utf8'))),
  ).toEqual([]);
});

test('no test has itself tried again', () => {
  const files = globSync('tests/**/*.ts', { cwd: root }).filter(
    (file) => file !== 'tests/unit/scripts/no-second-attempts.test.ts',
  );
  const again = /\.configure\(\{[^}]*\bretries\b|\b(?:test|it|describe)(?:\.\w+)*\([^\n]*\{[^}\n]*\bretry:/;
  expect(again.test("test('is tried again', { retry: 2 }, () => {})"), 'positive control').toBe(true);
  expect(files.filter((file) => again.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});
