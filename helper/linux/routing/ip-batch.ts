import { runOrThrow, type RunCommand } from '../../posix/command.ts';
import type { Family } from '../../network/prefix-list.ts';

/**
 * iproute2's messages if there is nothing (more) to remove; newer kernels have their own for an address that is not
 * there, and for any IPv6 address where the device's MTU has become too small for IPv6. In a batch, a separate line
 * says where it failed.
 */
const nothingThere =
  /^(?:.*(?:Cannot find device|Cannot assign requested address|[Aa]ddress not found|IPv6 is disabled on this device|No such (?:process|device|file)|does not exist|Dump terminated|Flush terminated).*|Command failed -:\d+)?$/;

/** Its message for a rule that already exists. */
const thereAlready = /^(?:RTNETLINK answers: File exists|Command failed -:\d+)?$/;

/** Runs lines of ip(8) up to the first that fails. Without a family, the addresses in each line decide. */
export async function ipBatch(run: RunCommand, batch: string, family?: Family): Promise<void> {
  await runOrThrow(run, 'ip', [...familyOption(family), '-batch', '-'], batch);
}

/** Runs all lines, which remove things; it is not a failure if something is not there. */
export const ipRemovalBatch = (run: RunCommand, batch: string, family?: Family) =>
  ipTolerantBatch(run, batch, family, nothingThere);

/** Runs all lines, which replace routes and add rules; it is not a failure if a rule already exists. */
const ipAdditionBatch = (run: RunCommand, batch: string, family: Family) =>
  ipTolerantBatch(run, batch, family, thereAlready);

/**
 * Adds, then removes, in one run of ip(8), which ends at the first line that fails; nothing is removed if something
 * could not be added. If it only fails because things already exist or are already gone, the remaining lines are run as
 * well.
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
  // A killed program had no time to say what is missing.
  const isSilent = status !== 0 && stderr === '';
  if (status === null || isSilent || problems.length > 0) {
    throw new Error(`ip ${args.join(' ')} failed with status ${status}: ${problems.join('; ')}`);
  }
}

const familyOption = (family: Family | undefined) => (family === undefined ? [] : [`-${family}`]);
