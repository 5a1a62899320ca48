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

// And what concerns an engine with the other one, in an exhaustive run.
const helper: Runner = { name: 'helper', command: vitest('helper*'), needsBuild: true };
const service: Runner = { name: 'service', command: vitest('service') };
const unit: Runner = { name: 'unit', command: vitest('unit') };
const e2e: Runner = {
  name: 'e2e',
  command: ['playwright', 'test', '--config', 'tests/e2e/playwright.config.ts'],
  needsBuild: true,
  live: true,
};

/**
 * All lanes run at once, with the checks beside them; on two processors they end at about the same time. Most of each
 * is waiting: the workers of browser and service tests compute for two fifths of their time, the helper's for one
 * fifth. In an exhaustive run, the helper's tests take longer than all others together, and twice as many run at once:
 * the others come one after another, or the product's own limits on waiting would not hold on a slow machine. Its unit
 * tests pack what was built.
 */
export const lanesOf = (isExhaustive: boolean): readonly (readonly Runner[])[] =>
  isExhaustive
    ? [[helper], [e2e, service, { ...unit, needsBuild: true }]]
    : [[helper], [service, unit], [e2e]];
