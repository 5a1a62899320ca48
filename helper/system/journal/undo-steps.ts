import type { Log } from '../../log.ts';
import type { UndoStep } from './journal-entry.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * Undoes steps; the changes may exist completely, partly or not at all. Every step is tried. Resolves with the steps
 * that failed.
 *
 * The filter comes last: once it is gone, nothing may still ask the tunnel's resolvers. The device, which takes the
 * kernel longest, and the rules can be removed at once, because the filter blocks traffic by itself.
 */
export async function undoSteps(ports: Ports, log: Log, steps: readonly UndoStep[]): Promise<UndoStep[]> {
  const attempt = async (step: UndoStep): Promise<UndoStep[]> => {
    try {
      await undo(ports, step);
      return [];
    } catch (error) {
      log.error('a change could not be undone', error, { kind: step.kind });
      return [step];
    }
  };
  const ofKind = (...kinds: UndoStep['kind'][]) => steps.filter(({ kind }) => kinds.includes(kind));
  const routes = Promise.all(ofKind('device', 'routing').map(attempt));
  const dns: UndoStep[][] = [];
  // Last first: a later step may have remembered what an earlier one has to undo.
  for (const step of ofKind('dns').toReversed()) dns.unshift(await attempt(step));
  const filters = await Promise.all(ofKind('packet-filter').map(attempt));
  return [...dns, ...filters, ...(await routes)].flat();
}

async function undo({ filter, router, device, dns }: Ports, step: UndoStep): Promise<void> {
  switch (step.kind) {
    case 'packet-filter':
      return await filter.clear();
    case 'routing':
      return await router.clear();
    case 'device':
      return await device.remove();
    case 'dns':
      return await dns.undo(step.how);
    default:
      return step satisfies never;
  }
}
