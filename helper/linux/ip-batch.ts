import { runOrThrow, type RunCommand } from './command.ts';
import type { Family } from './policy-routing.ts';

/**
 * What iproute2 prints when there is nothing to remove (any more). A batch says where it failed in a line of
 * its own.
 */
const nothingThere =
  /^(?:.*(?:Cannot find device|Cannot assign requested address|No such (?:process|device|file)|does not exist|Dump terminated|Flush terminated).*|Command failed -:\d+)?$/;

/** Runs lines of ip(8) up to the first that fails. Without a family, each line's own addresses say which it is. */
export async function ipBatch(run: RunCommand, batch: string, family?: Family): Promise<void> {
  await runOrThrow(run, 'ip', [...familyOption(family), '-batch', '-'], batch);
}

/** Runs lines that remove things, all of them; that something is not there is no failure. */
export async function ipRemovalBatch(run: RunCommand, batch: string, family?: Family): Promise<void> {
  const { stderr } = await run('ip', [...familyOption(family), '-force', '-batch', '-'], batch);
  const problems = stderr.split('\n').filter((line) => !nothingThere.test(line));
  if (problems.length > 0) throw new Error(`ip: ${problems.join('; ')}`);
}

const familyOption = (family: Family | undefined) => (family === undefined ? [] : [`-${family}`]);
