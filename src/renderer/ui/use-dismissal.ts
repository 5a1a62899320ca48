import { useCallback, useEffect, useState } from 'react';
import type { Host } from '#shared/host/contract.ts';
import { useHost } from '../platform/host-context.tsx';

/** Where it is kept that the user has put something away. */
export interface DismissalRecord {
  get: (host: Host) => Promise<boolean>;
  set: (host: Host, isDismissed: boolean) => Promise<unknown>;
}

interface Dismissal {
  /** Undefined until the host has said it. */
  isDismissed: boolean | undefined;
  /** Put away for as long as the record lasts. */
  dismiss: () => void;
  /** To be shown again when it has a reason to be. */
  restore: () => void;
}

/** In the page's storage, so for as long as this app's user stays signed in. */
export const untilSignOut = (key: string): DismissalRecord => ({
  get: async ({ storage }) => (await storage.get(key)) !== null,
  set: ({ storage }, isDismissed) => (isDismissed ? storage.set({ key, value: '1' }) : storage.remove(key)),
});

/** Whether the user has put something away. What could not be stored holds for this visit. */
export function useDismissal(record: DismissalRecord): Dismissal {
  const host = useHost();
  const [isDismissed, setDismissed] = useState<boolean>();
  useEffect(() => {
    let isCurrent = true;
    record.get(host).then(
      (value) => isCurrent && setDismissed((now) => now ?? value),
      () => isCurrent && setDismissed((now) => now ?? false),
    );
    return () => {
      isCurrent = false;
    };
  }, [host, record]);
  const dismiss = useCallback(() => {
    setDismissed(true);
    record.set(host, true).catch(() => false);
  }, [host, record]);
  const restore = useCallback(() => {
    setDismissed(false);
    record.set(host, false).catch(() => false);
  }, [host, record]);
  return { isDismissed, dismiss, restore };
}
