import { useCallback, useEffect, useState } from 'react';
import type { Host } from '#shared/host/contract.ts';
import { useHost } from '../../platform/host-context.tsx';

/** Where it is stored that the user has dismissed something. */
export interface DismissalRecord {
  get: (host: Host) => Promise<boolean>;
  set: (host: Host, isDismissed: boolean) => Promise<unknown>;
}

interface Dismissal {
  /** Undefined until the host has answered. */
  isDismissed: boolean | undefined;
  /** Dismisses it for as long as the record lasts. */
  dismiss: () => void;
  /** Allows it to be shown again when there is a reason. */
  restore: () => void;
}

/** In the page's storage, so until the user signs out. */
export const untilSignOut = (key: string): DismissalRecord => ({
  get: async ({ storage }) => (await storage.get(key)) !== null,
  set: ({ storage }, isDismissed) => (isDismissed ? storage.set({ key, value: '1' }) : storage.remove(key)),
});

/** Whether the user has dismissed something. If it could not be stored, it lasts for this visit. */
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
