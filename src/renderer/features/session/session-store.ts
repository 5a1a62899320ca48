import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Session } from '#shared/host/common-contract.ts';
import type { Host } from '#shared/host/contract.ts';

export type SessionStore = StoreApi<Session>;

/** The session as the host reports it: subscribes first, then reads once. */
export async function createSessionStore(host: Host): Promise<SessionStore> {
  let told: Session | undefined;
  let store: SessionStore | undefined;
  host.session.changed((session) => {
    told = session;
    store?.setState(session, true);
  });
  const read = await host.session.get();
  store = createStore<Session>(() => told ?? read);
  return store;
}
