import { createContext, use } from 'react';
import type { Host } from '#shared/host/contract.ts';

export type AppDescription = Awaited<ReturnType<Host['app']['describe']>>;

interface HostAndApp {
  host: Host;
  app: AppDescription;
}

export const HostContext = createContext<HostAndApp | undefined>(undefined);

function useHostAndApp(): HostAndApp {
  const value = use(HostContext);
  if (!value) throw new Error('no host around this component');
  return value;
}

/** What the page can ask of the app around it. */
export const useHost = (): Host => useHostAndApp().host;

/** What is around the page. */
export const useApp = (): AppDescription => useHostAndApp().app;
