import type { Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { Destination } from '../../../../src/main/tunnel/destination.ts';

/** A gateway of nobody's, and a tunnel to it. */

export const gateway = { host: 'gw.example.net', port: 443 };
export const routing = { mode: 'global', localNetwork: false } as const;
/** A tunnel that is up to this gateway, of mode global. */
export const connectedTo = (to: Gateway) =>
  ({
    state: 'connected',
    gateway: to,
    since: 1,
    addresses: {},
    transport: 'dtls',
    routing,
  }) as const satisfies TunnelState;
export const connected = connectedTo(gateway);

/** Of a gateway that is listed itself, without marks. */
export const destinationOf = (listed: Gateway): Destination => ({
  gateway: listed,
  listed,
  split: false,
  incoming: false,
});
