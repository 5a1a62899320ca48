import type { Log } from '../../log.ts';
import { salvageSteps, type UndoStep } from './journal-entry.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * What an earlier helper may have left, where its journal is lost or cannot be read (`text` is what there is of it):
 * all that has a name which only we use, and the resolvers that the machine had, if the journal or the system says so.
 */
export async function leftOverSteps({ dns }: Ports, log: Log, text = ''): Promise<UndoStep[]> {
  const salvaged = salvageSteps(text, dns.undoSchema);
  const known = salvaged.filter((step) => step.kind === 'dns').map(({ how }) => how);
  const found = await dns.leftOver(known).catch((error: unknown) => {
    log.error('it is not known whether the machine has its own resolvers', error);
    return [];
  });
  return [...salvaged, ...found.map((how): UndoStep => ({ kind: 'dns', how }))];
}
