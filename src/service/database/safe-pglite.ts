/* oxlint-disable no-underscore-dangle -- PGlite's own names */

import { PGlite } from '@electric-sql/pglite';

/** With which a server says that a statement has failed, and PGlite goes on (its POSTGRES_MAIN_LONGJMP). */
const failedStatement = 100;

/**
 * PGlite that refuses what comes once it is being closed, and ends its process if its server ends, such as in a panic.
 * PGlite itself would go on asking a server that is not there, in a loop that nothing in the process can interrupt
 * (electric-sql/pglite, issues 1084 and 1058).
 */
export class SafePglite extends PGlite {
  #isClosing = false;

  static async open(folder: string): Promise<SafePglite> {
    const client = new SafePglite(folder);
    await client.waitReady;
    client.#endWithServer();
    return client;
  }

  override async close(): Promise<void> {
    this.#isClosing = true;
    await super.close();
  }

  /** Everything but the statements of a transaction that has begun is run by this, one after the other. */
  override _runExclusiveTransaction<Result>(run: () => Promise<Result>): Promise<Result> {
    return super._runExclusiveTransaction(async () => {
      // As a server says that is shut down.
      if (this.#isClosing) throw Object.assign(new Error('the database is being closed'), { code: '57P01' });
      return run();
    });
  }

  #endWithServer(): void {
    const { Module: server } = this;
    const goOn = server._PostgresMainLoopOnce;
    server._PostgresMainLoopOnce = () => {
      try {
        goOn();
      } catch (error) {
        if (isEnd(error)) {
          console.error(`the database has ended, and the process with it: ${error.message}`);
          process.exit(1);
        }
        throw error;
      }
    };
  }
}

/** Emscripten's `ExitStatus` is no `Error`, but has the same fields. */
function isEnd(error: unknown): error is Error {
  if (!(error instanceof Object) || !('name' in error)) return false;
  if (error.name === 'RuntimeError') return true;
  return error.name === 'ExitStatus' && 'status' in error && error.status !== failedStatement;
}
