import { runOrThrow, type RunCommand } from './command.ts';
import type { Family } from './prefix-ranges.ts';

/**
 * What iproute2 prints when there is nothing to remove (any more); newer kernels have words of their own for an address
 * that is not there. A batch says where it failed in a line of its own.
 */
const nothingThere =
  /^(?:.*(?:Cannot find device|Cannot assign requested address|[Aa]ddress not found|No such (?:process|device|file)|does not exist|Dump terminated|Flush terminated).*|Command failed -:\d+)?$/;

/** What it prints, likewise, for a rule that is there already. */
const thereAlready = /^(?:RTNETLINK answers: File exists|Command failed -:\d+)?$/;

/** Runs lines of ip(8) up to the first that fails. Without a family, each line's own addresses say which it is. */
export async function ipBatch(run: RunCommand, batch: string, family?: Family): Promise<void> {
  await runOrThrow(run, 'ip', [...familyOption(family), '-batch', '-'], batch);
}

/** Runs lines that remove things, all of them; that something is not there is no failure. */
export const ipRemovalBatch = (run: RunCommand, batch: string, family?: Family) =>
  ipTolerantBatch(run, batch, family, nothingThere);

/** Runs lines that replace routes and add rules, all of them; that a rule is there already is no failure. */
const ipAdditionBatch = (run: RunCommand, batch: string, family: Family) =>
  ipTolerantBatch(run, batch, family, thereAlready);

/**
 * Adds, and then removes, in one run of ip(8), which ends at the first line that fails; nothing is removed where something
 * could not be added. Where all that is wrong is that things are there, or gone, already, the rest is done as well.
 */
export async function ipChangeBatch(
  run: RunCommand,
  { additions, removals }: { additions: string; removals: string },
  family: Family,
): Promise<void> {
  if (additions !== '' && removals !== '') {
    const args = [...familyOption(family), '-batch', '-'];
    const { status, stderr } = await run('ip', args, additions + removals);
    if (status === 0) return;
    const isHarmless = (line: string) => thereAlready.test(line) || nothingThere.test(line);
    if (status === null || stderr === '' || !stderr.split('\n').every(isHarmless))
      throw new Error(`ip ${args.join(' ')} failed with status ${status}: ${stderr.trim()}`);
  }
  if (additions !== '') await ipAdditionBatch(run, additions, family);
  if (removals !== '') await ipRemovalBatch(run, removals, family);
}

async function ipTolerantBatch(
  run: RunCommand,
  batch: string,
  family: Family | undefined,
  harmless: RegExp,
): Promise<void> {
  const args = [...familyOption(family), '-force', '-batch', '-'];
  const { status, stderr } = await run('ip', args, batch);
  const problems = stderr.split('\n').filter((line) => !harmless.test(line));
  // Who was killed had no time to say what is missing.
  const isSilent = status !== 0 && stderr === '';
  if (status === null || isSilent || problems.length > 0) {
    throw new Error(`ip ${args.join(' ')} failed with status ${status}: ${problems.join('; ')}`);
  }
}

const familyOption = (family: Family | undefined) => (family === undefined ? [] : [`-${family}`]);
