import { webAddress } from '#shared/host/web-address.ts';
import type { HostImplementation } from '#shared/host/contract.ts';

/** Opens a web page in a window of its own, isolated from the app and from every other such window. */
export type OpenAppView = (link: string, title: string) => Promise<boolean>;
/** Hands a web address to whatever program the system has for it: the app that claims it, or else the browser. */
export type OpenAppLink = (link: string) => Promise<boolean>;

/** The host contract's `apps` group. No desktop tells which apps it has in the terms of spec §7. */
export function createAppsHost(options: {
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
