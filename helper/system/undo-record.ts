import type { Journal } from './journal.ts';
import type { Log } from '../log.ts';
import type { Connection } from './system-adapter.ts';
import type { RunCommand } from '../linux/command.ts';
import type { Held } from './applied-network.ts';
import { undoSteps } from '../linux/undo.ts';
import type { JournalEntry, UndoStep } from './journal-entry.ts';

const filterStep: UndoStep = { kind: 'packet-filter' };

/** What is still to be undone, in the journal as well; undoing takes out of it what has succeeded. */
export interface UndoRecord {
  /** Writes down how to undo all that `held` may change. */
  write(held: Held): Promise<void>;
  /** Tries again what could not be undone of an earlier connection; its filter stays where it is. */
  undoLeftOver(): Promise<void>;
  /** Undoes steps of a connection; `keepClosed`: but for its filter. */
  undo(connection: Connection, steps: readonly UndoStep[], options: { keepClosed: boolean }): Promise<void>;
  /** All that there is to undo: of what is held, or of what was. */
  steps(held: Held | undefined): UndoStep[];
}

export function createUndoRecord(options: {
  journal: Journal<JournalEntry>;
  run: RunCommand;
  log: Log;
}): UndoRecord {
  const { journal, run, log } = options;
  /** Steps that are still to be undone although nothing is set up: the filter held closed, or failed ones. */
  let unfinished: UndoStep[] = [];
  const leftOver = () => unfinished.filter((step) => step.kind !== 'packet-filter');

  const steps = (held: Pick<Held, 'names'> | undefined): UndoStep[] =>
    held === undefined
      ? unfinished
      : [
          ...leftOver(),
          filterStep,
          { kind: 'device-and-routing' },
          ...(held.names?.step === undefined ? [] : [held.names.step]),
        ];

  return {
    steps,
    write: (held) => journal.write({ version: 1, connection: held.connection, steps: steps(held) }),
    async undoLeftOver() {
      const stale = leftOver();
      if (stale.length > 0) unfinished = [...(await undoSteps(run, log, stale)), filterStep];
    },
    async undo(connection, given, { keepClosed }) {
      const failed = await undoSteps(
        run,
        log,
        given.filter((step) => !keepClosed || step.kind !== 'packet-filter'),
      );
      unfinished = keepClosed ? [...failed, filterStep] : failed;
      if (unfinished.length > 0) await journal.write({ version: 1, connection, steps: unfinished });
      else await journal.clear();
    },
  };
}
