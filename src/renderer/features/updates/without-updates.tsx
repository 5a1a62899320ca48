import type { ReactNode } from 'react';
import { useUpdates } from './use-updates.ts';

/** Shown where the app has no updates of its own. */
export function WithoutUpdates({ children }: { children: ReactNode }) {
  return useUpdates() === null && children;
}
