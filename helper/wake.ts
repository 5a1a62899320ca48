import { setTimeout as delay } from 'node:timers/promises';

export interface Wake {
  call(): void;
  within(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** A wait that can be ended early; if that happens before it begins, it ends at once. */
export function createWake(): Wake {
  let cut = new AbortController();
  return {
    call: () => cut.abort(),
    async within(milliseconds, signal) {
      await delay(milliseconds, undefined, { signal: AbortSignal.any([signal, cut.signal]) }).catch(
        () => undefined,
      );
      cut = new AbortController();
      signal.throwIfAborted();
    },
  };
}
