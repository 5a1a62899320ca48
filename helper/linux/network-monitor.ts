import type { Log } from '../log.ts';
import { prefixTables } from './identifiers.ts';
import { watchProgram } from './watch-program.ts';

/** Changes come in bursts: a link that goes takes its addresses and routes along. */
const settleMs = 100;

const removal = new RegExp(`^Deleted .* table (?:${prefixTables.join('|')}) `, 'm');

/** Calls back after changes of links, addresses, routes and routing rules; one ip(8) serves all subscribers. */
export interface NetworkMonitor {
  /** Returns what ends the subscription. */
  subscribe(onChange: () => void): () => void;
  /** Calls back as soon as routes to captured prefixes were removed, by whomever. */
  onRemoval(listener: () => void): void;
}

export function createNetworkMonitor(log: Log): NetworkMonitor {
  const subscribers = new Set<() => void>();
  const removalListeners: (() => void)[] = [];
  let stop: (() => void) | undefined;
  return {
    onRemoval: (listener) => void removalListeners.push(listener),
    subscribe(onChange) {
      subscribers.add(onChange);
      stop ??= watchProgram({
        program: 'ip',
        args: ['-oneline', 'monitor', 'link', 'address', 'route', 'rule'],
        settleMs,
        log,
        inspect(text) {
          if (removal.test(text)) for (const listener of removalListeners) listener();
        },
        onChange() {
          for (const subscriber of subscribers) subscriber();
        },
      });
      return () => {
        subscribers.delete(onChange);
        if (subscribers.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}
