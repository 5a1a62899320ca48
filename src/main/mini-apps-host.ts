import { webAddress } from '#shared/host/web-address.ts';
import type { HostImplementation } from '#shared/host/contract.ts';

/** Opens a web page in a separate window that is isolated from the app and from all other such windows. */
export type OpenAppView = (link: string, title: string) => Promise<boolean>;
/** Passes a web address to the program that the system has for it: the app that claims it, or else the browser. */
export type OpenAppLink = (link: string) => Promise<boolean>;

/** The host contract's `apps` group. No desktop lists its apps in the form that spec §7 wants. */
export function createMiniAppsHost(options: {
  openAppView: OpenAppView;
  openAppLink: OpenAppLink;
}): HostImplementation['apps'] {
  return {
    installed: () => [],
    async open({ type, link, title }) {
      const allowed = webAddress(link);
      if (allowed === undefined) return false;
      return type === 'webkit'
        ? await options.openAppView(allowed, title)
        : await options.openAppLink(allowed);
    },
  };
}
