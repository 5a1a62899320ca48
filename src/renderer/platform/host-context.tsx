import { createContext, use } from 'react';
import type { Host } from '#shared/host/contract.ts';

export type AppDescription = Awaited<ReturnType<Host['app']['describe']>>;

interface HostAndApp {
  host: Host;
  app: AppDescription;
  /** Whether an app shows these pages in itself, though it may offer them nothing and the web's host serves them. */
  inApp: boolean;
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

/** Whether these pages are shown inside an app, which has navigation of its own around them. */
export const useInApp = (): boolean => useHostAndApp().inApp;
