import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPage, root, tableRows } from './markdown.ts';

const files = execFileSync(
  'git',
  ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', 'tests'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter(Boolean);
const isTest = (file: string) => /\.(?:test|spec)\.tsx?$/.test(file);
/** Configuration of the runners, and this file. */
const others = ['tests/e2e/playwright.config.ts', 'tests/unit/docs/thoroughness.test.ts'];

/** Files that do more in `npm test -- all` than in `npm test`. */
const exhaustive = files.filter(
  (file) =>
    file.endsWith('.ts') &&
    !others.includes(file) &&
    (/\.all\.(?:test|spec)\.ts$/.test(file) ||
      /runs\/thoroughness\.ts'|from '\.\/thoroughness\.ts'/.test(
        readFileSync(path.join(root, file), 'utf8'),
      )),
);

test('every file of tests belongs to a runner of npm test', () => {
  const run = /^tests\/(?:(?:unit|service|helper)\/.*\.test\.tsx?|e2e\/.*\.spec\.ts)$/;
  expect(files.filter((file) => isTest(file) && !run.test(file))).toEqual([]);
});

test('contributors read what is exhaustive, and nothing else, in the list of it', () => {
  const listed = tableRows(readPage('CONTRIBUTING.md')).flatMap(([name = '']) =>
    /^`tests\/.*`$/.test(name) ? [name.replaceAll('`', '')] : [],
  );
  expect(listed.toSorted()).toEqual(exhaustive.toSorted());
});
