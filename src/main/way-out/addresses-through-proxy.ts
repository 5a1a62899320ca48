import type { GatewayAddresses } from '../gateway/gateway-addresses.ts';
import type { WaysOut } from './ways-out.ts';

/** Where a proxy leads to a gateway, its addresses are the proxy's, which alone knows the gateway's. */
export function addressesThroughProxy(
  addresses: GatewayAddresses,
  ways: Pick<WaysOut, 'to' | 'knows' | 'learn'>,
): GatewayAddresses {
  const ofProxy = (host: string) => ways.to(host)?.addresses;
  return {
    known: (host) => [...(ofProxy(host) ?? addresses.known(host))],
    async resolve(host) {
      await ways.learn([host]);
      return [...(ofProxy(host) ?? (await addresses.resolve(host)))];
    },
    async learnMore(host) {
      if (!ofProxy(host)) await addresses.learnMore(host);
    },
    isFresh: (host) => ways.knows(host) && (ofProxy(host) !== undefined || addresses.isFresh(host)),
    remembered: (host) => ofProxy(host)?.[0] ?? addresses.remembered(host),
    remember(host, address) {
      if (!ofProxy(host)) addresses.remember(host, address);
    },
  };
}
