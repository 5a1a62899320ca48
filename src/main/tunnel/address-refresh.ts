import type { Logger } from 'pino';
import type { Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from '../gateway/gateway-addresses.ts';
import type { HelperClient } from './helper-client.ts';
import type { TunnelRequests } from './tunnel-requests.ts';

/** How often the name of a gateway is looked up through its own tunnel. */
const everyMs = 10 * 60_000;

/** While a tunnel does not come back, no look-up soon after another: each attempt is a state of its own. */
const againMs = 15_000;

/**
 * Keeps the helper informed about where its connection's gateway may be: as long as there is a tunnel, which carries
 * the look-ups, and when it is lost, in case that not everything is blocked.
 */
export function refreshAddresses(options: {
  helper: Pick<HelperClient, 'onState'>;
  addresses: Pick<GatewayAddresses, 'learnMore'>;
  requests: Pick<TunnelRequests, 'tellAddresses'>;
  log: Logger;
}): void {
  const { helper, addresses, requests, log } = options;
  let connectedTo: Gateway | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastAt = -Infinity;

  function refresh(gateway: Gateway): void {
    lastAt = performance.now();
    addresses
      .learnMore(gateway.host)
      .then(() => requests.tellAddresses(gateway))
      .catch((error: unknown) => log.info({ err: error }, 'the helper could not be told of addresses'));
  }

  helper.onState((state: TunnelState) => {
    const gateway = state.state === 'connected' && !state.ownedByOther ? state.gateway : undefined;
    if (gateway?.host !== connectedTo?.host) {
      connectedTo = gateway;
      clearInterval(timer);
      if (!gateway) return;
      refresh(gateway);
      timer = setInterval(refresh, everyMs, gateway).unref();
    }
    const isLost = state.state === 'connecting' && state.phase === 'waiting' && !state.ownedByOther;
    if (isLost && performance.now() - lastAt > againMs) refresh(state.gateway);
  });
}
