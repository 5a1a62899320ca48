import { createContext, use } from 'react';
import { useStore } from 'zustand';
import type { Session } from '#shared/host/common-contract.ts';
import type { SessionStore } from './session-store.ts';

export const SessionContext = createContext<SessionStore | undefined>(undefined);

export function useSession(): Session {
  const store = use(SessionContext);
  if (!store) throw new Error('no session around this component');
  return useStore(store);
}
