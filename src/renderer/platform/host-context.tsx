import { createContext, use } from 'react';
import type { Host } from '#shared/host/contract.ts';

export type AppDescription = Awaited<ReturnType<Host['app']['describe']>>;

interface HostAndApp {
  host: Host;
  app: AppDescription;
  /** Whether an app embeds these pages, even if it offers them nothing and the web's host serves them. */
  inApp: boolean;
}

export const HostContext = createContext<HostAndApp | undefined>(undefined);

function useHostAndApp(): HostAndApp {
  const value = use(HostContext);
  if (!value) throw new Error('no host around this component');
  return value;
}

/** The page's interface to the app around it. */
export const useHost = (): Host => useHostAndApp().host;

/** What is around the page. */
export const useApp = (): AppDescription => useHostAndApp().app;

/** Whether these pages are shown inside an app, which has its own navigation. */
export const useInApp = (): boolean => useHostAndApp().inApp;
