import type { IpHelper } from '../calls/ip-helper.ts';

/** Changes come in bursts: a list alone is thousands of routes, each of which the system tells about. */
const settleMs = 100;

/** Calls back after changes of interfaces, addresses and routes; one watch of the system serves all subscribers. */
export interface NetworkMonitor {
  /** Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
}

export function createNetworkMonitor(ipHelper: Pick<IpHelper, 'watch'>): NetworkMonitor {
  const subscribers = new Set<() => void>();
  let stop: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    for (const subscriber of subscribers) subscriber();
  }

  return {
    subscribe(onChange) {
      // Each subscription is its own, whoever else subscribes with the same function.
      const subscriber = () => onChange();
      subscribers.add(subscriber);
      stop ??= ipHelper.watch(() => {
        timer ??= setTimeout(tell, settleMs).unref();
      });
      return () => {
        subscribers.delete(subscriber);
        if (subscribers.size > 0) return;
        stop?.();
        stop = undefined;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
