import type { HostImplementation } from '#shared/host/contract.ts';

/** The settings where a page has none to switch: in a browser, and in a webview, whose app routes in its own way. */
export const noSettings: HostImplementation['settings'] = {
  get: () => ({ killSwitch: false, localNetwork: false }),
  set: () => ({ ok: false, error: 'not-applied' }),
};
