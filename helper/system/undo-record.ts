import type { Log } from '../log.ts';
import type { AppliedNetwork } from './applied-network.ts';
import type { Journal } from './journal.ts';
import type { JournalEntry, UndoStep } from './journal-entry.ts';
import type { Ports } from './ports.ts';
import type { Connection } from './system-adapter.ts';
import { undoSteps } from './undo.ts';

/** What blocks traffic by itself, each without the other. */
const blockingSteps: readonly UndoStep[] = [{ kind: 'packet-filter' }, { kind: 'routing' }];
const isBlocking = ({ kind }: UndoStep) => blockingSteps.some((step) => step.kind === kind);

/** What is still to be undone, in the journal as well; undoing takes out of it what has succeeded. */
export interface UndoRecord {
  /** Writes down how to undo all that `network` may change, and has it flushed. */
  write(network: AppliedNetwork): Promise<void>;
  /** Likewise but for the flush. Where that fails, the journal says what it did before. */
  note(network: AppliedNetwork): Promise<void>;
  flush(): Promise<void>;
  /**
   * Likewise, for changes that a power failure undoes by itself; `flushed` settles when one cannot take it back any
   * more.
   */
  writeVolatile(network: AppliedNetwork): Promise<{ flushed: Promise<void> }>;
  /** Tries again what could not be undone of an earlier connection; what blocks traffic stays. */
  undoLeftOver(): Promise<void>;
  /** Writes down that traffic is going to be blocked, beside what is to be undone already. */
  writeBlocking(connection: Connection | undefined): Promise<void>;
  /**
   * Undoes steps of a connection, if it is known which; `keepBlocking`: all but what blocks traffic. Nothing is opened
   * before `connectionsEnded`.
   */
  undo(
    connection: Connection | undefined,
    steps: readonly UndoStep[],
    options: { keepBlocking: boolean; connectionsEnded?: Promise<void> },
  ): Promise<void>;
  /**
   * All that there is to undo, of what is applied or of what was. From now on nothing is applied: what is not undone now
   * is so another time.
   */
  take(network: AppliedNetwork | undefined): UndoStep[];
}

export function createUndoRecord(options: {
  journal: Journal<JournalEntry>;
  ports: Ports;
  log: Log;
}): UndoRecord {
  const { journal, ports, log } = options;
  /** Steps that are still to be undone although nothing is set up: what blocks traffic, or failed ones. */
  let unfinished: UndoStep[] = [];
  const leftOver = () => unfinished.filter((step) => !isBlocking(step));

  const steps = (network: Pick<AppliedNetwork, 'dns'> | undefined): UndoStep[] =>
    network === undefined
      ? unfinished
      : [
          ...leftOver().filter(({ kind }) => kind !== 'device'),
          ...blockingSteps,
          { kind: 'device' },
          ...(network.dns?.step === undefined ? [] : [network.dns.step]),
        ];

  const note = (connection: Connection | undefined, all: UndoStep[]) =>
    journal.write({ version: 2, connection: connection ?? null, steps: all });
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
    async undo(connection, given, { keepBlocking, connectionsEnded }) {
      const failed = await undoSteps(
        ports,
        log,
        given.filter((step) => !keepBlocking || !isBlocking(step)),
        connectionsEnded,
      );
      unfinished = keepBlocking ? [...failed, ...blockingSteps] : failed;
      try {
        if (unfinished.length > 0) await write(connection, unfinished);
        else await journal.clear();
      } catch (error) {
        // The system is as it should be; at worst the next helper blocks, or undoes once more, what it need not.
        log.error('the journal cannot be written', error);
      }
    },
  };
}
