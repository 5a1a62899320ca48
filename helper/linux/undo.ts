import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Log } from '../log.ts';
import { runOrThrow, type RunCommand } from './command.ts';
import { ipRemovalBatch } from './ip-batch.ts';
import { undoDns } from './dns-manager.ts';
import { removePacketFilterScript } from './nftables.ts';
import { removeBatch } from './policy-routing.ts';
import { removeDeviceBatch } from './tunnel-device.ts';
import { undoStep, type UndoStep } from '../system/journal-entry.ts';

/**
 * Undoes steps; what they undo may be there in whole, in part or not at all. Every step is tried. Resolves to
 * those that failed.
 *
 * The filter goes last: without it, nobody may still be asking the tunnel's resolvers. The device, which takes the
 * kernel longest, can go at once, because the filter holds traffic back by itself.
 */
export async function undoSteps(run: RunCommand, log: Log, steps: readonly UndoStep[]): Promise<UndoStep[]> {
  const attempt = async (step: UndoStep): Promise<UndoStep[]> => {
    try {
      await undo(run, step);
      return [];
    } catch (error) {
      log.error('a change could not be undone', error, { kind: step.kind });
      return [step];
    }
  };
  const ofKind = (...kinds: UndoStep['kind'][]) => steps.filter(({ kind }) => kinds.includes(kind));
  const devices = Promise.all(ofKind('device-and-routing').map(attempt));
  const names: UndoStep[][] = [];
  // Last first: a later step may have remembered what an earlier one has to take back.
  for (const step of ofKind('resolv-conf', 'resolvconf-record').toReversed())
    names.unshift(await attempt(step));
  const filters = await Promise.all(ofKind('packet-filter').map(attempt));
  return [...names, ...filters, ...(await devices)].flat();
}

async function undo(run: RunCommand, step: UndoStep): Promise<void> {
  switch (step.kind) {
    case 'packet-filter':
      await runOrThrow(run, 'nft', ['-f', '-'], removePacketFilterScript);
      return;
    case 'device-and-routing':
      await Promise.all([
        ipRemovalBatch(run, removeDeviceBatch + removeBatch(4), 4),
        ...(existsSync('/proc/self/net/if_inet6') ? [ipRemovalBatch(run, removeBatch(6), 6)] : []),
      ]);
      return;
    case 'resolv-conf':
    case 'resolvconf-record':
      await undoDns(run, step);
      return;
    default:
      step satisfies never;
  }
}

/** The steps of a journal that is not whole: those that need no memory, and any that can still be read. */
export function salvageSteps(text: string): UndoStep[] {
  const always: UndoStep[] = [{ kind: 'packet-filter' }, { kind: 'device-and-routing' }];
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
