import type { Log } from '../../log.ts';
import { nexthopOf, prefixTables } from '../identifiers.ts';
import { watchProgram } from '../programs/watch-program.ts';

/** Changes come in bursts: a link that goes down takes its addresses and routes with it. */
const settleMs = 100;

const removal = new RegExp(
  `^Deleted (?:.* table (?:${prefixTables.join('|')}) |id (?:${prefixTables.map(nexthopOf).join('|')}) )`,
  'm',
);

/**
 * Calls back after changes of links, addresses, routes, routing rules and forwarding; one ip(8) serves all subscribers.
 */
export interface NetworkMonitor {
  /** Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
  /** Calls back as soon as routes to captured prefixes were removed by anybody. */
  onRemoval(listener: () => void): void;
  /** Does not print what a task changes, such as a hundred thousand routes; afterwards it counts as one change. */
  quietly<Result>(task: () => Promise<Result>): Promise<Result>;
  /** There are nexthops of ours from now on, and ip(8) supports them; call this inside such a task. */
  watchNexthops(): void;
}

export function createNetworkMonitor(log: Log): NetworkMonitor {
  const subscribers = new Set<() => void>();
  const removalListeners: (() => void)[] = [];
  let stop: (() => void) | undefined;
  /** The number of tasks in progress that should not be watched. */
  let quiet = 0;
  let watchesNexthops = false;

  function onChange(): void {
    for (const subscriber of subscribers) subscriber();
  }

  function start(): void {
    stop ??= watchProgram({
      program: 'ip',
      args: [
        '-oneline',
        'monitor',
        'link',
        'address',
        'route',
        'rule',
        // Whether packets are forwarded.
        'netconf',
        ...(watchesNexthops ? ['nexthop'] : []),
      ],
      settleMs,
      log,
      inspect(text) {
        if (removal.test(text)) for (const listener of removalListeners) listener();
      },
      onChange,
    });
  }

  function end(): void {
    stop?.();
    stop = undefined;
  }

  return {
    onRemoval: (listener) => void removalListeners.push(listener),
    subscribe(subscriber) {
      subscribers.add(subscriber);
      if (quiet === 0) start();
      return () => {
        subscribers.delete(subscriber);
        if (subscribers.size === 0) end();
      };
    },
    async quietly(task) {
      quiet += 1;
      end();
      try {
        return await task();
      } finally {
        quiet -= 1;
        if (quiet === 0 && subscribers.size > 0) {
          start();
          for (const listener of removalListeners) listener();
          onChange();
        }
      }
    },
    watchNexthops() {
      watchesNexthops = true;
    },
  };
}
