import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { processorGroup, type ProcessorGroup } from './processor-group.ts';
import { tallyFolder } from './tally.ts';

/** The group of the runner that this process is a worker of. */
const runnerGroup = process.env['WAYMAKER_PROCESSOR_GROUP'];
const runner = process.env['WAYMAKER_RUNNER'] ?? 'none';
const timesFile = (name: string) => path.join(tallyFolder, `${name}-times.jsonl`);
const root = path.resolve(import.meta.dirname, '../..');

let own: { group: ProcessorGroup; counted: number } | undefined;

/** Puts this worker into a group of its own, once; what it starts from then on is counted with it. */
export function countThisWorker(): void {
  if (own !== undefined || runnerGroup === undefined) return;
  const group = processorGroup(`worker-${process.pid}`, runnerGroup);
  if (group === undefined) return;
  group.add(process.pid);
  // It exists already where a test has had all modules evaluated once more, this one too.
  own = { group, counted: group.milliseconds() };
}

/** Charges what this worker has used since the last time to a test file. */
export function chargeTo(file: string): void {
  if (own === undefined) return;
  const now = own.group.milliseconds();
  const entry = { file: path.relative(root, file), milliseconds: now - own.counted };
  own.counted = now;
  mkdirSync(tallyFolder, { recursive: true });
  appendFileSync(timesFile(runner), `${JSON.stringify(entry)}\n`);
}

/** What each of a runner's test files has used, in milliseconds. */
export function readFileTimes(name: string): Map<string, number> {
  const times = new Map<string, number>();
  if (!existsSync(timesFile(name))) return times;
  for (const line of readFileSync(timesFile(name), 'utf8').split('\n').filter(Boolean)) {
    const { file, milliseconds } = JSON.parse(line) as { file: string; milliseconds: number };
    times.set(file, (times.get(file) ?? 0) + milliseconds);
  }
  return times;
}
