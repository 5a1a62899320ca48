import type { Log } from '../log.ts';

/** Commands run one after the other. */
export interface CommandQueue {
  /** How many are in progress or wait. */
  readonly pending: number;
  /** `isReplaceable`: it is left out if another one comes before it begins. Rejects if the command does. */
  add(execute: () => Promise<void>, options: { isReplaceable: boolean }): Promise<void>;
}

export function createCommandQueue(log: Log): CommandQueue {
  let commands: Promise<void> = Promise.resolve();
  let latest = 0;
  let pending = 0;
  return {
    get pending() {
      return pending;
    },
    add(execute, { isReplaceable }) {
      latest += 1;
      pending += 1;
      const number = latest;
      const done = commands.then(async () => {
        try {
          if (isReplaceable && number !== latest) return;
          await execute();
        } finally {
          pending -= 1;
        }
      });
      commands = done.catch((error: unknown) => log.error('a command failed', error));
      return done;
    },
  };
}
