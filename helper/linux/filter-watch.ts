import type { Log } from '../log.ts';
import { filterTable } from './identifiers.ts';
import { rulesGeneration } from './nftables-sets.ts';
import { watchProgram } from './watch-program.ts';

/** A burst of `nft monitor` is one transaction; nothing is gained by waiting longer. */
const settleMs = 20;
/** How often the rules' generation is asked for where nobody says that it is another. */
const pollMs = 200;

/**
 * Watches the packet filter. `nft monitor` says at once what changes; but it holds in memory, and prints, each of a
 * hundred thousand elements, for a second and 140 MB. With such sets the kernel is asked instead, some times a second,
 * whether anything has changed; with smaller ones while they are filled.
 */
export function watchFilter({ log, isLarge }: { log: Log; isLarge: () => boolean }) {
  let onChange: (() => void) | undefined;
  let stop: (() => void) | undefined;
  let isPolling = false;

  function monitor(): () => void {
    isPolling = false;
    return watchProgram({
      program: 'nft',
      args: ['monitor'],
      // Or what says that something was lost ("# ERROR: We lost some netlink events!").
      pattern: new RegExp(`inet ${filterTable}\\b|^# ERROR`, 'm'),
      settleMs,
      log,
      onChange: () => onChange?.(),
    });
  }

  function poll(): () => void {
    isPolling = true;
    let last: number | undefined;
    let hasFailed = false;
    const timer = setInterval(() => {
      rulesGeneration().then(
        (now) => {
          hasFailed = false;
          if (now === last) return;
          last = now;
          onChange?.();
        },
        (error: unknown) => {
          // Once, and not five times a second.
          if (!hasFailed) log.error('the packet filter cannot be watched', error);
          hasFailed = true;
          // Whatever it is when it can be asked again, that is a change.
          last = undefined;
        },
      );
    }, pollMs);
    return () => clearInterval(timer);
  }

  function run(): void {
    stop?.();
    stop = onChange && (isLarge() ? poll() : monitor());
  }

  return {
    start(listener: () => void): () => void {
      onChange = listener;
      run();
      return () => {
        onChange = undefined;
        stop?.();
        stop = undefined;
      };
    },
    /** Many elements are about to come, until `update`: nobody is to print them. */
    pause() {
      if (!onChange || isPolling) return;
      stop?.();
      stop = poll();
    },
    /** Other sets are in the filter than before. */
    update() {
      if (onChange && isPolling !== isLarge()) run();
    },
  };
}
