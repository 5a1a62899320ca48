import { rmSync } from 'node:fs';
import path from 'node:path';
import { processorGroup } from './tally/processor-group.ts';
import { addTally, emptyTally, readTally, tallyFolder, type Tally } from './tally/tally.ts';
import { changedFiles, concernedBy } from './test/changed.ts';
import { build, checks, lanesOf, type Check, type Runner } from './test/checks.ts';
import { collectTimes, keepTimes, printTimes } from './test/processor-times.ts';
import { runCommand, type Outcome } from './test/run-command.ts';

/**
 * Runs every check, continues after a failure, and ends with one line that adds up all runners. `npm test -- unit e2e`
 * runs only the named ones, `npm test -- all` also what is exhaustive, `npm test -- all helper 1/4` the first quarter of
 * that, and `npm test -- changed` what a change concerns: that of this branch since its upstream, or since the commit in
 * WAYMAKER_BASE.
 */
const root = path.resolve(import.meta.dirname, '..');
const words = process.argv.slice(2);
const isExhaustive = words.includes('all');
const lanes = lanesOf(isExhaustive);
const share = words.find((word) => /^\d+\/\d+$/.test(word));
const names = words.filter((word) => word !== 'all' && word !== 'changed' && word !== share);
/** What takes hours, or was asked for by its name, is watched. */
const isWatched = isExhaustive || names.length > 0;
const isNamedBy = (word: string, { name }: Check) => name === word || name.startsWith(`${word} `);
const isNamed = (check: Check) => names.length === 0 || names.some((word) => isNamedBy(word, check));
const everyCheck = [build, ...checks, ...lanes.flat()];
const unknown = names.filter((word) => !everyCheck.some((check) => isNamedBy(word, check)));
if (unknown.length > 0) {
  // Otherwise nothing would run, and so nothing fail.
  console.error(
    `No check is named ${unknown.join(', ')}. There are: ${everyCheck.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(1);
}
const concerned = words.includes('changed')
  ? concernedBy(root, changedFiles(root, process.env['WAYMAKER_BASE']), { isExhaustive })
  : undefined;

rmSync(tallyFolder, { recursive: true, force: true });
/** All that the run uses of the processors is counted in it; undefined where nothing can count. */
const wholeRun = processorGroup(`waymaker-test-${process.pid}`);
const used: { name: string; processorTime: number }[] = [];
const total = emptyTally();
const summary: string[] = [];

/**
 * The tests start a thousand programs, most of them the same few, so compiled code is cached here (Node.js
 * documentation, "Module compile cache"). That halves the time in which a helper starts.
 */
const surroundings = {
  root,
  environment: {
    ...process.env,
    NODE_COMPILE_CACHE: path.join(root, 'out/compile-cache'),
    ...(isExhaustive && { WAYMAKER_TEST_ALL: '1' }),
  },
  parent: wholeRun?.directory,
};

async function run(one: Check & { live?: boolean }): Promise<Outcome> {
  const outcome = await runCommand(one, surroundings);
  const { processorTime } = outcome;
  if (processorTime !== undefined) used.push({ name: one.name, processorTime });
  return outcome;
}

async function runCheck(check: Check): Promise<void> {
  const { succeeded, output } = await run(check);
  total[succeeded ? 'passed' : 'failed'] += 1;
  summary.push(`${succeeded ? 'passed' : 'FAILED'}  ${check.name}`);
  if (!succeeded)
    total.failures.push({ name: check.name, error: output.replaceAll(/^\s*\n/gm, '').trimEnd() });
}

async function runTests(runner: Runner): Promise<Tally> {
  const command = share === undefined ? runner.command : [...runner.command, `--shard=${share}`];
  const { succeeded } = await run({ ...runner, command, ...(isWatched && { live: true }) });
  let tally: Tally;
  try {
    tally = readTally(runner.name);
  } catch {
    console.error(`${runner.name}: the runner ended before it could count its tests`);
    return { ...emptyTally(), failed: 1 };
  }
  // A runner that fails without a failed test, or counts no test at all, has failed.
  const silentFailure = (!succeeded && tally.failed === 0) || tally.passed + tally.failed === 0;
  return silentFailure ? { ...tally, failed: tally.failed + 1 } : tally;
}

/** The runner with the files that it is to run; undefined if a change concerns none of them. */
function narrowed(runner: Runner): Runner | undefined {
  if (!concerned) return runner;
  const [files, all] = [concerned.files[runner.name], concerned.all[runner.name]];
  if (files.length < all) summary.push(`left out  ${runner.name}: ${all - files.length} of ${all} files`);
  const leftToAll = concerned.leftToAll[runner.name];
  if (leftToAll > 0)
    summary.push(`left out  ${runner.name}: ${leftToAll} files that it concerns, of npm test -- all`);
  if (files.length === 0) return undefined;
  return files.length === all ? runner : { ...runner, command: [...runner.command, ...files] };
}

async function runLane(lane: readonly Runner[]): Promise<void> {
  for (const named of lane.filter(isNamed)) {
    const runner = narrowed(named);
    if (!runner) continue;
    if (runner.needsBuild) await built;
    const tally = await runTests(runner);
    addTally(total, tally);
    const { passed, failed, skipped } = tally;
    summary.push(
      `${failed === 0 ? 'passed' : 'FAILED'}  ${runner.name}: ${passed} passed, ${failed} failed, ${skipped.length} skipped`,
    );
  }
}

async function runChecks(): Promise<void> {
  for (const check of checks.filter(isNamed)) await runCheck(check);
}

if (concerned) {
  const { changed, everything } = concerned;
  console.log(`changed: ${changed.length === 0 ? 'nothing' : changed.join(', ')}`);
  if (everything !== undefined) console.log(`everything is concerned, because of ${everything}`);
}
const isBuildNeeded = isNamed(build) || lanes.flat().some((runner) => isNamed(runner) && runner.needsBuild);
const built = isBuildNeeded ? runCheck(build) : Promise.resolve();
await Promise.all([built, runChecks(), ...lanes.map(runLane)]);

/** Of what a page shows, in a summary. */
const maxPageLines = 60;
/** The first lines of an error say what was expected; the whole error is further above. */
const shortened = (text: string, lines = 6) => text.split('\n').slice(0, lines).join('\n    ');

console.log(`\n── all checks\n${summary.join('\n')}`);
for (const { name, error, page } of total.failures) {
  console.log(`failed: ${name}\n    ${shortened(error)}`);
  // A run elsewhere leaves nothing else to look at.
  if (page !== undefined) console.log(`  on the page:\n    ${shortened(page, maxPageLines)}`);
}
for (const { name, reason } of total.skipped) console.log(`skipped: ${name}: ${reason}`);
if (wholeRun) {
  const times = collectTimes({ isWhole: words.length === 0, total: wholeRun.milliseconds(), used });
  printTimes(times);
  keepTimes(times);
  wholeRun.remove();
}
console.log(`${total.skipped.length} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
