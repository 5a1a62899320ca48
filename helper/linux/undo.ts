import { existsSync } from 'node:fs';
import { z } from 'zod';
import { runOrThrow, type RunCommand } from './command.ts';
import { tunnelDevice } from './identifiers.ts';
import { undoNameService } from './name-service.ts';
import { removePacketFilterScript } from './nftables.ts';
import { removeBatch, type Family } from './policy-routing.ts';
import { undoStep, type UndoStep } from './undo-step.ts';

/**
 * What iproute2 prints when there is nothing to remove (any more). A batch says where it failed in a line of
 * its own.
 */
const nothingThere =
  /^(?:.*(?:Cannot find device|No such (?:process|device|file)|does not exist|Dump terminated|Flush terminated|Failed to send flush request).*|Command failed -:\d+)?$/;

/**
 * Undoes steps, last first; what they undo may be there in whole, in part or not at all. Every step is tried;
 * throws afterwards if one failed. The packet filter goes last, when the rest is as it was.
 */
export async function undoSteps(run: RunCommand, steps: readonly UndoStep[]): Promise<void> {
  const attempts = steps.filter((step) => step.kind !== 'packet-filter').map((step) => undo(run, step));
  const failures = (await Promise.allSettled(attempts)).filter((attempt) => attempt.status === 'rejected');
  if (steps.some((step) => step.kind === 'packet-filter')) await undo(run, { kind: 'packet-filter' });
  if (failures.length > 0) {
    throw new AggregateError(
      failures.map((failure): unknown => failure.reason),
      'not everything could be undone',
    );
  }
}

async function undo(run: RunCommand, step: UndoStep): Promise<void> {
  switch (step.kind) {
    case 'packet-filter':
      await runOrThrow(run, 'nft', ['-f', '-'], removePacketFilterScript);
      return;
    case 'device':
      await ipForced(run, 4, `link del dev ${tunnelDevice}\n`);
      return;
    case 'policy-routing':
      await Promise.all([
        ipForced(run, 4, removeBatch(4)),
        existsSync('/proc/self/net/if_inet6') ? ipForced(run, 6, removeBatch(6)) : undefined,
      ]);
      return;
    case 'resolv-conf':
    case 'resolvconf-record':
      await undoNameService(run, step);
      return;
    default:
      step satisfies never;
  }
}

async function ipForced(run: RunCommand, family: Family, batch: string): Promise<void> {
  const { stderr } = await run('ip', [`-${family}`, '-force', '-batch', '-'], batch);
  const problems = stderr.split('\n').filter((line) => !nothingThere.test(line));
  if (problems.length > 0) throw new Error(`ip: ${problems.join('; ')}`);
}

/** The steps of a journal that is not whole: those that need no memory, and any that can still be read. */
export function salvageSteps(text: string): UndoStep[] {
  const always: UndoStep[] = [{ kind: 'packet-filter' }, { kind: 'device' }, { kind: 'policy-routing' }];
  return [...always, ...readableSteps(text).filter(({ kind }) => !always.some((step) => step.kind === kind))];
}

function readableSteps(text: string): UndoStep[] {
  try {
    const { steps } = z.object({ steps: z.array(z.unknown()) }).parse(JSON.parse(text));
    return steps.flatMap((step) => {
      const parsed = undoStep.safeParse(step);
      return parsed.success ? [parsed.data] : [];
    });
  } catch {
    return [];
  }
}
