import type { HostImplementation } from '#shared/host/contract.ts';

/**
 * What only the desktop app has, for all other hosts: an app around a webview asks for what a gateway wants by itself,
 * and knows neither networks, programs nor logs.
 */
export const onlyOnDesktop = {
  gatewayForm: { get: () => null, answer: () => false },
  gatewayCertificate: {
    get: () => ({ wanted: false, certificate: null }),
    set: () => ({ ok: false, error: 'not-stored' }),
    remove: () => false,
  },
  gatewayGroup: { get: () => null, forget: () => false },
  portal: { open: () => 'failed' },
  browser: { openThroughTunnel: () => 'no-browser' },
  connectionLog: { get: () => [], clear: () => true },
  problemReport: { make: () => '', save: () => 'failed' },
  networks: { current: () => null },
  routedPrograms: {
    list: () => [],
    running: () => [],
    start: () => 'not-routed',
    restart: () => 'not-routed',
  },
  worldAddress: { get: () => null },
} satisfies Partial<HostImplementation>;
