import { useEffect, useState } from 'react';
import type { UpdateView } from '#shared/host/updates-contract.ts';
import { updatesClient } from './updates-client.ts';

/** What there is to say about updates; null: nothing, here; undefined: not known yet. */
export function useUpdates(): UpdateView | null | undefined {
  const [view, setView] = useState<UpdateView | null>();
  useEffect(() => {
    const updates = updatesClient();
    let isTold = false;
    const first = (now: UpdateView | null) => {
      if (!isTold) setView(now);
    };
    if (!updates) {
      queueMicrotask(() => first(null));
      return undefined;
    }
    const unsubscribe = updates.changed((now) => {
      isTold = true;
      setView(now);
    });
    updates.get().then(first, () => first(null));
    return () => {
      isTold = true;
      unsubscribe();
    };
  }, []);
  return view;
}
