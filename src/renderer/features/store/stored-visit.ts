import * as z from 'zod/mini';

/** What a browser may do for somebody who came from an app: buy for the account with this email. */
export type StoreVisit = z.infer<typeof storeVisit>;
const storeVisit = z.object({ visit: z.string(), email: z.string(), members: z.number() });

/**
 * In the storage of the tab: it is there when the payer comes back from the provider, no other tab has it, and whoever is
 * signed in to the browser stays so.
 */
const key = 'storeVisit';

export function readVisit(): StoreVisit | undefined {
  try {
    return storeVisit.safeParse(JSON.parse(sessionStorage.getItem(key) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

/** A browser that refuses its storage knows the visit as long as the page. */
export function keepVisit(visit: StoreVisit | undefined): void {
  try {
    if (visit) sessionStorage.setItem(key, JSON.stringify(visit));
    else sessionStorage.removeItem(key);
  } catch {
    // As above.
  }
}
