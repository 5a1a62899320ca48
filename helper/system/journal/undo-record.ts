import type { Log } from '../../log.ts';
import type { AppliedNetwork } from '../applied-network.ts';
import type { Journal } from './journal-file.ts';
import type { JournalEntry, UndoStep } from './journal-entry.ts';
import type { Ports } from '../ports/ports.ts';
import type { Connection } from '../system-adapter.ts';
import { undoSteps } from './undo-steps.ts';

/** The steps that each block traffic by themselves. */
const blockingSteps: readonly UndoStep[] = [{ kind: 'packet-filter' }, { kind: 'routing' }];
const isBlocking = ({ kind }: UndoStep) => blockingSteps.some((step) => step.kind === kind);

/** What still has to be undone, also in the journal; successful undoing removes it. */
export interface UndoRecord {
  /** Records how to undo everything that `network` may change, and flushes that to disk. */
  write(network: AppliedNetwork): Promise<void>;
  /** The same without the flush. If it fails, the journal still has the earlier entry. */
  note(network: AppliedNetwork): Promise<void>;
  flush(): Promise<void>;
  /** The same, for changes that a power failure undoes by itself; `flushed` settles once the entry is safe from one. */
  writeVolatile(network: AppliedNetwork): Promise<{ flushed: Promise<void> }>;
  /** Tries again what could not be undone for an earlier connection; what blocks traffic stays. */
  undoLeftOver(): Promise<void>;
  /** Records that traffic is going to be blocked, in addition to what has to be undone already. */
  writeBlocking(connection: Connection | undefined): Promise<void>;
  /**
   * Undoes steps of a connection, if it is known; `keepBlocking`: except those that block traffic.
   */
  undo(
    connection: Connection | undefined,
    steps: readonly UndoStep[],
    options: { keepBlocking: boolean },
  ): Promise<void>;
  /**
   * Everything that has to be undone, for the current or an earlier setup. Nothing is applied from now on; what is not
   * undone now will be tried another time.
   */
  take(network: AppliedNetwork | undefined): UndoStep[];
}

export function createUndoRecord(options: {
  journal: Journal<JournalEntry>;
  ports: Ports;
  log: Log;
}): UndoRecord {
  const { journal, ports, log } = options;
  /** Steps that still have to be undone although nothing is set up: those that block traffic, or failed ones. */
  let unfinished: UndoStep[] = [];
  const leftOver = () => unfinished.filter((step) => !isBlocking(step));

  const steps = (network: Pick<AppliedNetwork, 'dns'> | undefined): UndoStep[] =>
    network === undefined
      ? unfinished
      : [
          ...leftOver().filter(({ kind }) => kind !== 'device'),
          ...blockingSteps,
          { kind: 'device' },
          ...(network.dns?.undo === undefined ? [] : [{ kind: 'dns' as const, how: network.dns.undo }]),
        ];

  const note = (connection: Connection | undefined, all: UndoStep[]) =>
    journal.write({ version: 2, connection: connection ? stored(connection) : null, steps: all });
  const write = async (connection: Connection | undefined, all: UndoStep[]) => {
    await note(connection, all);
    await journal.flush();
  };

  return {
    take(network) {
      unfinished = steps(network);
      return unfinished;
    },
    write: (network) => write(network.connection, steps(network)),
    note: (network) => note(network.connection, steps(network)),
    flush: () => journal.flush(),
    async writeVolatile(network) {
      await note(network.connection, steps(network));
      const flushed = journal.flush();
      flushed.catch(() => undefined);
      return { flushed };
    },
    async writeBlocking(connection) {
      unfinished = [...leftOver(), ...blockingSteps];
      await write(connection, unfinished);
    },
    async undoLeftOver() {
      const stale = leftOver();
      if (stale.length > 0) unfinished = [...(await undoSteps(ports, log, stale)), ...blockingSteps];
    },
    async undo(connection, given, { keepBlocking }) {
      const failed = await undoSteps(
        ports,
        log,
        given.filter((step) => !keepBlocking || !isBlocking(step)),
      );
      unfinished = keepBlocking ? [...failed, ...blockingSteps] : failed;
      try {
        if (unfinished.length > 0) await write(connection, unfinished);
        else await journal.clear();
      } catch (error) {
        // The system is as it should be; at worst, the next helper blocks or undoes something without need.
        log.error('the journal cannot be written', error);
      }
    },
  };
}

/**
 * Without what the next client says anew, and an earlier helper would not understand. Until then, too, nobody else may
 * get out by a proxy, at whichever of its addresses.
 */
function stored({ otherAddresses = [], ...connection }: Connection): NonNullable<JournalEntry['connection']> {
  const isKept = connection.proxy !== undefined && otherAddresses.length > 0;
  return { ...connection, ...(isKept && { otherAddresses: [...otherAddresses] }) };
}
