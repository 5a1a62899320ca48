import { useCallback, useEffect, useState } from 'react';
import { useHost } from '../platform/host-context.tsx';

interface Dismissal {
  /** Undefined until the host has said it. */
  isDismissed: boolean | undefined;
  /** Put away for as long as this app's user stays signed in. `now` false: from the next visit on. */
  dismiss: (options?: { now: boolean }) => void;
  /** To be shown again when it has a reason to be. */
  restore: () => void;
}

/** Whether the user has put something away. What could not be stored holds for this visit. */
export function useDismissal(key: string): Dismissal {
  const { storage } = useHost();
  const [isDismissed, setDismissed] = useState<boolean>();
  useEffect(() => {
    let isCurrent = true;
    storage.get(key).then(
      (value) => isCurrent && setDismissed((now) => now ?? value !== null),
      () => isCurrent && setDismissed((now) => now ?? false),
    );
    return () => {
      isCurrent = false;
    };
  }, [storage, key]);
  const dismiss = useCallback(
    ({ now } = { now: true }) => {
      if (now) setDismissed(true);
      storage.set({ key, value: '1' }).catch(() => false);
    },
    [storage, key],
  );
  const restore = useCallback(() => {
    setDismissed(false);
    storage.remove(key).catch(() => false);
  }, [storage, key]);
  return { isDismissed, dismiss, restore };
}
