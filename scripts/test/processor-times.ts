import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readFileTimes } from '../tally/file-times.ts';
import { tallyFolder } from '../tally/tally.ts';

/** What a run of the tests has used of the processors, in seconds. */
const timesSchema = z.object({
  /** Whether it ran every check that `npm test` has, and no more. */
  isWhole: z.boolean(),
  total: z.number(),
  runners: z.record(z.string(), z.number()),
  files: z.record(z.string(), z.number()),
});
export type ProcessorTimes = z.infer<typeof timesSchema>;

/** How many files are named. */
const maxNamed = 20;

const file = path.join(tallyFolder, 'processor-times.json');

export function collectTimes(options: {
  isWhole: boolean;
  /** Milliseconds: of the whole run, and of each of its commands. */
  total: number;
  used: readonly { name: string; processorTime: number }[];
}): ProcessorTimes {
  const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;
  const inOrder = (entries: readonly (readonly [string, number])[]) =>
    Object.fromEntries(
      entries.toSorted(([, one], [, other]) => other - one).map(([name, value]) => [name, seconds(value)]),
    );
  const { isWhole, total, used } = options;
  return {
    isWhole,
    total: seconds(total),
    runners: inOrder(used.map(({ name, processorTime }) => [name, processorTime] as const)),
    files: inOrder(used.flatMap(({ name }) => [...readFileTimes(name)])),
  };
}

/** By runner and by the dearest files; a runner's own work is what none of its files is charged for. */
export function printTimes({ total, runners, files }: ProcessorTimes): void {
  const line = ([name, seconds]: [string, number]) => `${`${seconds.toFixed(1)} s`.padStart(9)}  ${name}`;
  console.log(`\n── processor time: ${total} s\n${Object.entries(runners).map(line).join('\n')}`);
  const dearest = Object.entries(files).slice(0, maxNamed);
  if (dearest.length > 0) console.log(`the dearest files:\n${dearest.map(line).join('\n')}`);
}

export function keepTimes(times: ProcessorTimes): void {
  mkdirSync(tallyFolder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(times, undefined, 2)}\n`);
}

/** Those of the last run in this clone; undefined if there was none. */
export function lastTimes(): ProcessorTimes | undefined {
  try {
    return timesSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
