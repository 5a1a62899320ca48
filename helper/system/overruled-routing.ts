import type { Log } from '../log.ts';
import type { Router } from './ports/router-port.ts';

/** Knows whether others' routes lead away what should go through the tunnel, from when it is to. */
export interface OverruledRouting {
  /** Looks, and watches from now on. */
  start(): void;
  stop(): void;
  isOverruled(): boolean;
}

export function createOverruledRouting(options: {
  router: Pick<Router, 'isOverruled' | 'watch'>;
  /** Runs a task when no other change of the system is in progress. */
  enqueue: (task: () => Promise<void>) => Promise<void>;
  /** `isOverruled` has changed. */
  onChange: () => void;
  log: Log;
}): OverruledRouting {
  const { router, enqueue, onChange, log } = options;
  let isOverruled = false;
  let isLookDue = false;
  let end: (() => void) | undefined;

  async function look(): Promise<void> {
    isLookDue = false;
    if (!end) return;
    const is = (await router.isOverruled?.()) ?? false;
    if (isOverruled === is) return;
    isOverruled = is;
    if (is) log.warn('others’ routes come before the tunnel’s');
    else log.info('no other routes come before the tunnel’s any more');
    onChange();
  }

  /** Once for a burst of changes: a look that is waiting also covers later ones. */
  function lookLater(): void {
    if (isLookDue) return;
    isLookDue = true;
    void enqueue(look).catch((error: unknown) =>
      log.error('whether other routes come first could not be found out', error),
    );
  }

  return {
    start() {
      if (!router.isOverruled) return;
      end ??= router.watch(lookLater);
      lookLater();
    },
    stop() {
      end?.();
      end = undefined;
      isOverruled = false;
    },
    isOverruled: () => isOverruled,
  };
}
