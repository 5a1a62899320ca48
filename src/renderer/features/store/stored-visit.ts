import * as z from 'zod/mini';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { randomUuid } from '../../platform/random-uuid.ts';

/** What a browser may do for somebody who came from an app: buy for the account with this email. */
export type StoreVisit = z.infer<typeof storeVisit>;
const storeVisit = z.object({ visit: z.string(), email: z.string(), members: z.number() });
const keptVisit = z.object({ ...storeVisit.shape, epoch: z.string() });

/**
 * In the tab's storage: it is still there when the payer comes back from the provider, no other tab has it, and whoever
 * is signed in to the browser stays signed in.
 */
const key = 'storeVisit';
/**
 * A value in the storage of all tabs that every visit of this browser is created with. It changes when somebody signs
 * in or out, which ends all visits with another value, even in tabs that are at the provider.
 */
const epochKey = storageKeys.storeVisits;

export function readVisit(): StoreVisit | undefined {
  try {
    const kept = keptVisit.safeParse(JSON.parse(sessionStorage.getItem(key) ?? 'null')).data;
    if (!kept || kept.epoch !== localStorage.getItem(epochKey)) return undefined;
    const { visit, email, members } = kept;
    return { visit, email, members };
  } catch {
    return undefined;
  }
}

/** If the browser refuses its storage, the visit lasts as long as the page. */
export function keepVisit(visit: StoreVisit | undefined): void {
  try {
    if (visit) {
      const epoch = localStorage.getItem(epochKey) ?? randomUuid();
      localStorage.setItem(epochKey, epoch);
      sessionStorage.setItem(key, JSON.stringify({ ...visit, epoch }));
    } else sessionStorage.removeItem(key);
  } catch {
    // As above.
  }
}

/** Ends the visits of all tabs, because another user, or nobody, is signed in now. */
export function endVisits(): void {
  keepVisit(undefined);
  try {
    localStorage.removeItem(epochKey);
  } catch {
    // As above.
  }
}
