import {
  createTunnelRequests,
  type TunnelRequestsOptions,
} from '../../../../src/main/tunnel/tunnel-requests.ts';
import { destinationOf } from './tunnel-states.ts';

/** Requests to a helper of somebody who wants mode global; no gateway's address is known. */
export const createTestRequests = (
  given: Pick<TunnelRequestsOptions, 'helper' | 'log'> & Partial<TunnelRequestsOptions>,
) =>
  createTunnelRequests({
    addresses: { known: () => [], remembered: () => undefined, remember: () => undefined },
    preferences: {
      forTunnel: () => ({ routing: { mode: 'global', localNetwork: false }, killSwitch: false }),
    },
    onSession: () => undefined,
    destinations: { at: destinationOf, goOn: () => undefined },
    deadline: () => undefined,
    ...given,
  });
