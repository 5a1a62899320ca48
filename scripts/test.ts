import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { readTally, type Tally } from './tally/tally.ts';

/**
 * Runs every check, goes on after a failed one, and ends with one line that adds up all runners.
 * `npm test -- unit e2e` runs only the named ones.
 */
const root = path.resolve(import.meta.dirname, '..');
const vitest = (project: string) => [
  'vitest',
  'run',
  '--project',
  project,
  '--reporter=default',
  '--reporter=./scripts/tally/vitest-reporter.ts',
];

/** A check that counts as one; a runner counts its own tests. */
const checks = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  { name: 'types: shared', command: ['tsc', '-p', 'src/shared'] },
  { name: 'types: renderer', command: ['tsc', '-p', 'src/renderer'] },
  { name: 'types: node', command: ['tsc', '-p', '.'] },
  { name: 'build', command: ['node', 'scripts/build.ts'] },
] as const;

const runners = [
  { name: 'unit', command: vitest('unit') },
  { name: 'service', command: vitest('service') },
  { name: 'helper', command: vitest('helper') },
  { name: 'e2e', command: ['playwright', 'test', '--config', 'tests/e2e/playwright.config.ts'] },
] as const;

const wanted = process.argv.slice(2);
const isWanted = ({ name }: { name: string }) =>
  wanted.length === 0 || wanted.some((word) => name === word || name.startsWith(`${word}:`));

function run(name: string, [command, ...args]: readonly string[]): boolean {
  console.log(`\n── ${name}`);
  const { status, error } = spawnSync(command ?? '', args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, WAYMAKER_RUNNER: name },
  });
  if (error) console.error(error.message);
  return status === 0;
}

function runRunner(name: string, command: readonly string[]): Tally {
  const succeeded = run(name, command);
  let tally: Tally;
  try {
    tally = readTally(name);
  } catch {
    console.error(`${name}: the runner ended before it could count its tests`);
    return { passed: 0, failed: 1, skipped: [] };
  }
  // A runner that fails without a failed test, or counts no test at all, has failed.
  const silentFailure = (!succeeded && tally.failed === 0) || tally.passed + tally.failed === 0;
  return silentFailure ? { ...tally, failed: tally.failed + 1 } : tally;
}

rmSync(path.join(root, 'out/tally'), { recursive: true, force: true });
const total: Tally = { passed: 0, failed: 0, skipped: [] };
const summary: string[] = [];

for (const check of checks.filter(isWanted)) {
  const passed = run(check.name, check.command);
  total[passed ? 'passed' : 'failed'] += 1;
  summary.push(`${passed ? 'passed' : 'FAILED'}  ${check.name}`);
}
for (const runner of runners.filter(isWanted)) {
  const tally = runRunner(runner.name, runner.command);
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped.push(...tally.skipped);
  summary.push(
    `${tally.failed === 0 ? 'passed' : 'FAILED'}  ${runner.name}: ${tally.passed} passed, ${tally.failed} failed, ${tally.skipped.length} skipped`,
  );
}

console.log(`\n── all checks\n${summary.join('\n')}`);
for (const { name, reason } of total.skipped) console.log(`skipped: ${name}: ${reason}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;
