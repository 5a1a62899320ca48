import type { Lab } from '../lab.ts';
import { addresses, ports } from './addresses.ts';
import { proxyPorts } from './web-proxy.ts';

/**
 * Until it is disposed, the gateway is at the addresses of the user's neighbour, too, and a proxy of the router's: on
 * the user's own private network, on a host that has other services.
 */
export async function placeGatewayNearby({ internet }: Pick<Lab, 'internet'>): Promise<AsyncDisposable> {
  const { neighbour, gateway, router } = addresses;
  const services = `{ tcp, udp } th dport ${ports.gateway}`;
  await internet.run(['nft', '-f', '-'], {
    input: `table inet nearby {
      chain prerouting {
        type nat hook prerouting priority dstnat;
        ip daddr ${neighbour.ipv4} meta l4proto ${services} dnat ip to ${gateway.ipv4}
        ip6 daddr ${neighbour.ipv6} meta l4proto ${services} dnat ip6 to ${gateway.ipv6}
        ip daddr ${neighbour.ipv4} tcp dport ${proxyPorts.http} dnat ip to ${router.ipv4}
      }
    }`,
  });
  return {
    async [Symbol.asyncDispose]() {
      await internet.run(['nft', 'delete', 'table', 'inet', 'nearby']);
    },
  };
}
