import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What one runner counted, in a common form, so that `npm test` can add up all runners. */
export interface Tally {
  passed: number;
  failed: number;
  /** The failed tests and their errors. Empty if the runner failed outside of its tests. */
  failures: {
    name: string;
    error: string;
    /** What the page showed, where a browser's test failed. */
    page?: string | undefined;
  }[];
  skipped: { name: string; reason: string }[];
}

export const tallyFolder = path.resolve(import.meta.dirname, '../../out/tally');

export const emptyTally = (): Tally => ({ passed: 0, failed: 0, failures: [], skipped: [] });

/** Adds a runner's tally to a sum. */
export function addTally(sum: Tally, { passed, failed, failures, skipped }: Tally): void {
  sum.passed += passed;
  sum.failed += failed;
  sum.failures.push(...failures);
  sum.skipped.push(...skipped);
}

export function writeTally(runner: string, tally: Tally): void {
  mkdirSync(tallyFolder, { recursive: true });
  writeFileSync(path.join(tallyFolder, `${runner}.json`), JSON.stringify(tally));
}

/** Throws if the runner died before it could count. */
export function readTally(runner: string): Tally {
  return JSON.parse(readFileSync(path.join(tallyFolder, `${runner}.json`), 'utf8')) as Tally;
}
