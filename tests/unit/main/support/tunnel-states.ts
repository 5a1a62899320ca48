import type { TunnelState } from '#shared/tunnel/state.ts';

/** A gateway of nobody's, and a tunnel to it. */

export const gateway = { host: 'gw.example.net', port: 443 };
export const routing = { mode: 'global', localNetwork: false } as const;
export const connected = {
  state: 'connected',
  gateway,
  since: 1,
  addresses: {},
  transport: 'dtls',
  routing,
} as const satisfies TunnelState;
