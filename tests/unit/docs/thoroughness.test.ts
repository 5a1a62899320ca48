import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { concerningEngines } from '../../helper/support/engines.ts';
import { readPage, root, tableRows } from './markdown.ts';

const files = execFileSync('git', ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean);
const isTest = (file: string) => /\.(?:test|spec)s?\.[cm]?[jt]sx?$/i.test(file);
const belongsToRunner = (file: string) =>
  /^tests\/(?:(?:unit|service|helper)\/.*\.test\.tsx?|e2e\/.*\.spec\.ts)$/.test(file);
/** Configuration of the runners, and this file. */
const others = ['tests/e2e/playwright.config.ts', 'tests/unit/docs/thoroughness.test.ts'];

/** Files that do more in `npm test -- all` than in `npm test`. */
const exhaustive = files.filter(
  (file) =>
    /^tests\/.*\.tsx?$/.test(file) &&
    !others.includes(file) &&
    (/\.all\.(?:test|spec)\.tsx?$/.test(file) ||
      /runs\/thoroughness\.ts'|from '\.\/thoroughness\.ts'/.test(
        readFileSync(path.join(root, file), 'utf8'),
      )),
);

test('every file of tests belongs to a runner of npm test, wherever it stands and whatever its name ends with', () => {
  expect(files.filter((file) => isTest(file) && !belongsToRunner(file))).toEqual([]);
  const lost = [
    'src/shared/prefix.test.ts',
    'tests/bench/ip.test.ts',
    'tests/unit/prefix.spec.ts',
    'tests/e2e/login.test.ts',
    'tests/unit/prefix.test.mts',
    'tests/unit/prefix.tests.ts',
    'helper/log.Test.ts',
  ];
  expect(lost.filter((file) => isTest(file) && !belongsToRunner(file))).toEqual(lost);
});

test('the files that run with the other engine in an exhaustive run are there', () => {
  const named = Object.values(concerningEngines).flatMap((list) =>
    list.map((file) => `tests/helper/${file}`),
  );
  expect(named.filter((file) => !files.includes(file))).toEqual([]);
});

test('only one file asks whether a run is exhaustive, so that the list knows of all who do', () => {
  const mayAsk = [
    'scripts/test.ts',
    'tests/lab/runs/thoroughness.ts',
    'tests/unit/docs/thoroughness.test.ts',
  ];
  const asking = files.filter(
    (file) =>
      /\.[cm]?[jt]sx?$/.test(file) &&
      existsSync(path.join(root, file)) &&
      readFileSync(path.join(root, file), 'utf8').includes('WAYMAKER_TEST_ALL'),
  );
  expect(asking.toSorted()).toEqual(mayAsk);
});

test('contributors read what is exhaustive, and nothing else, in the list of it', () => {
  const listed = tableRows(readPage('CONTRIBUTING.md')).flatMap(([name = '']) =>
    /^`tests\/.*`$/.test(name) ? [name.replaceAll('`', '')] : [],
  );
  expect(listed.toSorted()).toEqual(exhaustive.toSorted());
});
