import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { readFileTimes } from './tally/file-times.ts';
import { processorGroup } from './tally/processor-group.ts';
import { readTally, type Tally } from './tally/tally.ts';

/**
 * Runs every check, continues after a failure, and ends with one line that adds up all runners. `npm test -- unit e2e`
 * runs only the named ones, `npm test -- all` also what is exhaustive.
 */
const root = path.resolve(import.meta.dirname, '..');
/**
 * The tests start a thousand programs, most of them the same few, so compiled code is cached here (Node.js
 * documentation, "Module compile cache"). That halves the time in which a helper starts.
 */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_COMPILE_CACHE: path.join(root, 'out/compile-cache'),
};
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
  { name: 'types: service workers', command: ['tsc', '-p', 'src/renderer/offline/workers'] },
  { name: 'types: node', command: ['tsc', '-p', '.'] },
] as const;
const build = { name: 'build', command: ['node', 'scripts/build.ts'] } as const;

interface Runner {
  name: string;
  command: readonly string[];
  /** Whether its tests run what was built. */
  needsBuild?: true;
  /** Whether its output is shown as it comes; otherwise all of it at its end. */
  live?: true;
}

/**
 * All lanes run at once, with the checks beside them; on two processors they end at about the same time. Most of each
 * is waiting: the workers of browser and service tests compute for two fifths of their time, the helper's for one
 * fifth.
 */
const lanes: readonly (readonly Runner[])[] = [
  [{ name: 'helper', command: vitest('helper'), needsBuild: true }],
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

/** All that the run uses of the processors is counted in it; undefined where nothing can count. */
const wholeRun = processorGroup(`waymaker-test-${process.pid}`);
/** How many files are named. */
const dearest = 20;
const used: { name: string; milliseconds: number }[] = [];

const words = process.argv.slice(2);
if (words.includes('all')) environment['WAYMAKER_TEST_ALL'] = '1';
const wanted = words.filter((word) => word !== 'all');
const isWanted = ({ name }: { name: string }) =>
  wanted.length === 0 || wanted.some((word) => name === word || name.startsWith(`${word}:`));

/** Runs one of them to its end; resolves with whether it succeeded. */
async function run({ name, command: [file = '', ...args], live }: Runner): Promise<boolean> {
  if (live) console.log(`\n── ${name}`);
  const group = processorGroup(name.replaceAll(/\W+/g, '-'), wholeRun?.directory);
  const child = spawn(file, args, {
    cwd: root,
    stdio: live ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      WAYMAKER_RUNNER: name,
      ...(group && { WAYMAKER_PROCESSOR_GROUP: group.directory }),
    },
  });
  if (child.pid !== undefined) group?.add(child.pid);
  const output = collectOutput(child);
  child.on('error', (error) => console.error(error.message));
  const [code] = (await once(child, 'close')) as [number | null];
  if (!live) console.log(`\n── ${name}\n${output()}`);
  if (group) used.push({ name, milliseconds: group.milliseconds() });
  return code === 0;
}

async function runTests(runner: Runner): Promise<Tally> {
  const { name } = runner;
  const succeeded = await run(runner);
  let tally: Tally;
  try {
    tally = readTally(name);
  } catch {
    console.error(`${name}: the runner ended before it could count its tests`);
    return { passed: 0, failed: 1, failures: [], flaky: [], skipped: [] };
  }
  // A runner that fails without a failed test, or counts no test at all, has failed.
  const silentFailure = (!succeeded && tally.failed === 0) || tally.passed + tally.failed === 0;
  return silentFailure ? { ...tally, failed: tally.failed + 1 } : tally;
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

rmSync(path.join(root, 'out/tally'), { recursive: true, force: true });
const total: Tally = { passed: 0, failed: 0, failures: [], flaky: [], skipped: [] };
const summary: string[] = [];

async function check(one: Runner): Promise<void> {
  const passed = await run(one);
  total[passed ? 'passed' : 'failed'] += 1;
  summary.push(`${passed ? 'passed' : 'FAILED'}  ${one.name}`);
}

async function runLane(lane: readonly Runner[]): Promise<void> {
  for (const runner of lane.filter(isWanted)) {
    if (runner.needsBuild) await built;
    const tally = await runTests(runner);
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.failures.push(...tally.failures);
    total.flaky.push(...tally.flaky);
    total.skipped.push(...tally.skipped);
    summary.push(
      `${tally.failed === 0 ? 'passed' : 'FAILED'}  ${runner.name}: ${tally.passed} passed, ${tally.failed} failed, ${tally.skipped.length} skipped`,
    );
  }
}

async function runChecks(): Promise<void> {
  for (const one of checks.filter(isWanted)) await check(one);
}

const built = isWanted(build) ? check(build) : Promise.resolve();
await Promise.all([runChecks(), ...lanes.map(runLane)]);

/** By runner and by the dearest files, daemons included; a runner's own work is what no file of its is charged for. */
function printProcessorTime(whole: number): void {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`.padStart(9);
  const files = used.flatMap(({ name }) => [...readFileTimes(name)]);
  console.log(`\n── processor time: ${seconds(whole).trim()}`);
  for (const { name, milliseconds } of used.toSorted((one, other) => other.milliseconds - one.milliseconds))
    console.log(`${seconds(milliseconds)}  ${name}`);
  console.log('the dearest files:');
  for (const [file, milliseconds] of files.toSorted((one, other) => other[1] - one[1]).slice(0, dearest))
    console.log(`${seconds(milliseconds)}  ${file}`);
}

/** The first lines of an error say what was expected; the whole error is further above. */
const shortened = (error: string) => error.split('\n').slice(0, 6).join('\n    ');

console.log(`\n── all checks\n${summary.join('\n')}`);
for (const { name, error } of total.failures) console.log(`failed: ${name}\n    ${shortened(error)}`);
for (const { name, error } of total.flaky)
  console.log(`passed at the second attempt only: ${name}\n    ${shortened(error)}`);
for (const { name, reason } of total.skipped) console.log(`skipped: ${name}: ${reason}`);
if (wholeRun) printProcessorTime(wholeRun.milliseconds());
wholeRun?.remove();
console.log(`${total.skipped.length} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
