import type { Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { Destination } from '../../../../src/main/tunnel/destination.ts';

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

/** Of a gateway that is listed itself, without marks. */
export const destinationOf = (listed: Gateway): Destination => ({
  gateway: listed,
  listed,
  split: false,
  incoming: false,
});
