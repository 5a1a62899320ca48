import type { Log } from '../../log.ts';
import { filterTable } from '../identifiers.ts';
import { rulesGeneration } from './prefix-sets.ts';
import { watchProgram } from '../programs/watch-program.ts';

/** A burst from `nft monitor` is one transaction; waiting longer gains nothing. */
const settleMs = 20;
/** How often the rules' generation is checked if no program reports changes. */
const pollMs = 200;

/**
 * Watches the packet filter. `nft monitor` reports changes at once, but it keeps each of a hundred thousand elements in
 * memory and prints it, which takes a second and 140 MB. With sets of that size, the kernel is asked several times a
 * second instead whether anything has changed; with smaller sets, only while they are filled.
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
      // Or a message that events were lost ("# ERROR: We lost some netlink events!").
      pattern: new RegExp(`(?:inet|arp) ${filterTable}\\b|^# ERROR`, 'm'),
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
          // Logged once, not five times a second.
          if (!hasFailed) log.error('the packet filter cannot be watched', error);
          hasFailed = true;
          // When it can be checked again, any value counts as a change.
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
    /** Many elements are about to be added, until `update`; they should not be printed. */
    pause() {
      if (!onChange || isPolling) return;
      stop?.();
      stop = poll();
    },
    /** The filter has other sets than before. */
    update() {
      if (onChange && isPolling !== isLarge()) run();
    },
  };
}
