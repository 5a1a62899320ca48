/** A check counts as one; a runner counts its own tests. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

export interface Runner extends Check {
  readonly name: RunnerName;
  /** Whether its tests run what was built. */
  readonly needsBuild?: true;
  /** Whether its output is shown as it comes; otherwise all of it at its end. */
  readonly live?: true;
}

export const runnerNames = ['unit', 'service', 'helper', 'e2e'] as const;
export type RunnerName = (typeof runnerNames)[number];

export const checks: readonly Check[] = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  // With the compiler's errors, see typeCheck in .oxlintrc.json.
  { name: 'lint and types', command: ['oxlint', '--deny-warnings'] },
];
export const build: Check = { name: 'build', command: ['node', 'scripts/build.ts'] };

const vitest = (project: string) => [
  'vitest',
  'run',
  '--project',
  project,
  '--reporter=default',
  '--reporter=./scripts/tally/vitest-reporter.ts',
];

/**
 * All lanes run at once, with the checks beside them; on two processors they end at about the same time. Most of each
 * is waiting: the workers of browser and service tests compute for two fifths of their time, the helper's for one
 * fifth.
 */
export const lanes: readonly (readonly Runner[])[] = [
  // And what concerns an engine with the other one, in an exhaustive run.
  [{ name: 'helper', command: vitest('helper*'), needsBuild: true }],
  [
    { name: 'service', command: vitest('service') },
    { name: 'unit', command: vitest('unit') },
  ],
  [
    {
      name: 'e2e',
      command: ['playwright', 'test', '--config', 'tests/e2e/playwright.config.ts'],
      needsBuild: true,
      live: true,
    },
  ],
];
