import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { readTally, type Tally } from './tally/tally.ts';

/**
 * Runs every check, goes on after a failed one, and ends with one line that adds up all runners.
 * `npm test -- unit e2e` runs only the named ones.
 */
const root = path.resolve(import.meta.dirname, '..');
/**
 * The tests start a thousand programs, most of them the same few: what was compiled once is read from here
 * (Node.js documentation, "Module compile cache"). It halves the time that a helper takes to start.
 */
const environment = { ...process.env, NODE_COMPILE_CACHE: path.join(root, 'out/compile-cache') };
const vitest = (project: string) => [
  'vitest',
  'run',
  '--project',
  project,
  '--reporter=default',
  '--reporter=./scripts/tally/vitest-reporter.ts',
];

interface Check {
  name: string;
  command: readonly string[];
  /** A check counts as one; a runner counts its own tests. */
  isRunner?: true;
  /** Whether its output is shown as it comes; else in one piece at its end. */
  live?: true;
}

/** What others need: the built pages and apps. */
const build: Check = { name: 'build', command: ['node', 'scripts/build.ts'], live: true };

/** At the same time: some mostly compute, and some mostly wait. */
const lanes: readonly (readonly Check[])[] = [
  [{ name: 'helper', command: vitest('helper'), isRunner: true }],
  [
    { name: 'service', command: vitest('service'), isRunner: true },
    { name: 'unit', command: vitest('unit'), isRunner: true },
  ],
  [
    {
      name: 'e2e',
      command: ['playwright', 'test', '--config', 'tests/e2e/playwright.config.ts'],
      isRunner: true,
      live: true,
    },
  ],
  [
    { name: 'format', command: ['oxfmt', '--check', '.'] },
    { name: 'lint', command: ['oxlint', '--deny-warnings'] },
    { name: 'types: shared', command: ['tsc', '-p', 'src/shared'] },
    { name: 'types: renderer', command: ['tsc', '-p', 'src/renderer'] },
    { name: 'types: service workers', command: ['tsc', '-p', 'src/renderer/offline/workers'] },
    { name: 'types: node', command: ['tsc', '-p', '.'] },
  ],
];

const wanted = process.argv.slice(2);
const isWanted = ({ name }: Check) =>
  wanted.length === 0 || wanted.some((word) => name === word || name.startsWith(`${word}:`));

/** What a check found; a check that is no runner passes or fails as a whole. */
async function run(check: Check): Promise<Tally> {
  const { name, isRunner } = check;
  const succeeded = await runCommand(check);
  if (!isRunner) return { ...nothing, passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1 };
  let tally: Tally;
  try {
    tally = readTally(name);
  } catch {
    console.error(`${name}: the runner ended before it could count its tests`);
    return { ...nothing, failed: 1 };
  }
  // A runner that fails without a failed test, or counts no test at all, has failed.
  const silentFailure = (!succeeded && tally.failed === 0) || tally.passed + tally.failed === 0;
  return silentFailure ? { ...tally, failed: tally.failed + 1 } : tally;
}

/** Whether it ended well. */
async function runCommand({ name, command: [file = '', ...args], live }: Check): Promise<boolean> {
  if (live) console.log(`\n── ${name}`);
  const child = spawn(file, args, {
    cwd: root,
    stdio: live ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    env: { ...environment, WAYMAKER_RUNNER: name },
  });
  const output = collectOutput(child);
  child.on('error', (error) => console.error(error.message));
  const [code] = (await once(child, 'close')) as [number | null];
  if (!live) console.log(`\n── ${name}\n${output()}`);
  return code === 0;
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

/** Runs it if it is wanted, and adds it to what all found. */
async function count(check: Check): Promise<void> {
  if (!isWanted(check)) return;
  const tally = await run(check);
  const { name, isRunner } = check;
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.failures.push(...tally.failures);
  total.flaky.push(...tally.flaky);
  total.skipped.push(...tally.skipped);
  const counts = `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped.length} skipped`;
  summary.push(`${tally.failed === 0 ? 'passed' : 'FAILED'}  ${name}${isRunner ? `: ${counts}` : ''}`);
}

rmSync(path.join(root, 'out/tally'), { recursive: true, force: true });
const nothing: Tally = { passed: 0, failed: 0, failures: [], flaky: [], skipped: [] };
const total: Tally = { passed: 0, failed: 0, failures: [], flaky: [], skipped: [] };
const summary: string[] = [];

await count(build);
await Promise.all(
  lanes.map(async (lane) => {
    for (const check of lane) await count(check);
  }),
);

/** The first lines of an error say what was expected; the whole of it is further above. */
const shortened = (error: string) => error.split('\n').slice(0, 6).join('\n    ');

console.log(`\n── all checks\n${summary.join('\n')}`);
for (const { name, error } of total.failures) console.log(`failed: ${name}\n    ${shortened(error)}`);
for (const { name, error } of total.flaky)
  console.log(`passed at the second attempt only: ${name}\n    ${shortened(error)}`);
for (const { name, reason } of total.skipped) console.log(`skipped: ${name}: ${reason}`);
console.log(`${total.skipped.length} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
