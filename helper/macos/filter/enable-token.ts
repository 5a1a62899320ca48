import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Keeps the token by which the packet filter was switched on, for a later helper: in a directory that the system empties
 * when it starts, as the filter forgets its tokens then.
 */
export interface EnableToken {
  read(): string | undefined;
  write(token: string): void;
  remove(): void;
}

export function createEnableToken(file = '/var/run/waymaker-filter-token'): EnableToken {
  return {
    read() {
      try {
        const text = readFileSync(file, 'utf8').trim();
        return /^\d{1,20}$/.test(text) ? text : undefined;
      } catch {
        return undefined;
      }
    },
    write: (token) => writeFileSync(file, `${token}\n`, { mode: 0o600 }),
    remove: () => rmSync(file, { force: true }),
  };
}
