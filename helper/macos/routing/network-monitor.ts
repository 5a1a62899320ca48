import type { Log } from '../../log.ts';
import type { RouteCalls } from '../calls/routing-socket.ts';

/** Tells several ports of changes of routes, addresses and interfaces by one routing socket. */
export interface NetworkMonitor {
  /** Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
}

/** Changes within this time are told once, in milliseconds. */
const gatherMs = 100;
/** The clock is looked at this often; a longer jump than a second one means that the machine has slept. */
const clockMs = 15_000;
/** How long a socket that has failed is left alone, in milliseconds. */
const retryMs = 1_000;

export function createNetworkMonitor(calls: RouteCalls, log: Log): NetworkMonitor {
  const subscribers = new Set<() => void>();
  let end: (() => void) | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let clock: NodeJS.Timeout | undefined;
  let lookedAt = Date.now();

  function tell(): void {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      for (const subscriber of subscribers) subscriber();
    }, gatherMs).unref();
  }

  function start(): void {
    retry = undefined;
    try {
      end = calls.watch(tell, (error) => restart(error));
    } catch (error) {
      restart(error);
    }
  }

  function restart(error: unknown): void {
    end = undefined;
    log.error('changes of the network cannot be watched', error);
    // What was missed meanwhile.
    tell();
    retry = setTimeout(start, retryMs).unref();
  }

  /** While the machine sleeps, and when its socket overflows, nothing is told: so everything is looked at again. */
  function lookAtClock(): void {
    const now = Date.now();
    if (now - lookedAt > 2 * clockMs) log.info('the machine has slept', { ms: now - lookedAt });
    lookedAt = now;
    tell();
  }

  return {
    subscribe(onChange) {
      const subscriber = () => onChange();
      subscribers.add(subscriber);
      if (subscribers.size === 1) {
        start();
        lookedAt = Date.now();
        clock = setInterval(lookAtClock, clockMs).unref();
      }
      return () => {
        if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
        end?.();
        end = undefined;
        clearTimeout(gathering);
        clearTimeout(retry);
        clearInterval(clock);
        gathering = undefined;
        retry = undefined;
      };
    },
  };
}
