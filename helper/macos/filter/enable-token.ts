import { closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs';
import { readToken } from '../calls/pfctl.ts';

/**
 * Keeps the token by which the packet filter was switched on, for a later helper: in a directory that the system
 * empties when it starts, as the filter forgets its tokens then.
 */
export interface EnableToken {
  read(): string | undefined;
  /** Keeps what `enable` writes to the descriptor that it is given. Rejects if that is no token. */
  take(enable: (output: number) => Promise<void>): Promise<void>;
  remove(): void;
}

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;

export function createEnableToken(file = '/var/run/waymaker-filter-token'): EnableToken {
  function read(): string | undefined {
    try {
      return readToken(readFileSync(file, 'utf8'));
    } catch {
      return undefined;
    }
  }

  return {
    read,
    async take(enable) {
      const output = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
      try {
        await enable(output);
      } finally {
        closeSync(output);
      }
      if (read() === undefined) throw new Error('pfctl has given no token');
    },
    remove: () => rmSync(file, { force: true }),
  };
}
