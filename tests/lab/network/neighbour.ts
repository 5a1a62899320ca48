import { isIPv6 } from 'node:net';
import { addresses } from './addresses.ts';
import type { Machine } from '../machine/machine.ts';
import { setKernel } from './network.ts';
import { sendOddPacket } from '../packets/odd-packet.ts';
import { eventually, words } from '../runs/process.ts';
import { routerAdvertisement, type RouterAdvertisement } from '../packets/router-advertisement.ts';

/** A hostile machine on the user's link; it receives, and can record, packets that are sent to it for others. */
export interface Neighbour {
  /** Sends a router advertisement, and resolves when the user's machine has routes to everything in it. */
  readonly advertise: (advertisement: RouterAdvertisement) => Promise<void>;
  /** Configures the user's machine as a DHCP lease would. */
  readonly lease: (lease: Lease) => Promise<void>;
}

export interface Lease {
  /** An address with the length of its network, such as `10.1.2.3/1`. */
  readonly address?: string;
  /** Classless static routes (option 121, RFC 3442), through the neighbour or, with `onLink`, through nobody. */
  readonly routes?: readonly { readonly to: string; readonly onLink?: boolean }[];
}

const ownEnd = 'user0';
const usersEnd = 'uplink';
const allNodes = 'ff02::1';

/**
 * On the wire between the user's machine and the internet. Leases are applied like DHCP clients do it on the user's
 * machine (isc-dhcp-client's dhclient-script and its hook rfc3442-classless-routes), because they are trusted in the
 * same way.
 */
export async function createNeighbour(user: Machine, internet: Machine): Promise<Neighbour> {
  // Answers requests for anybody's hardware address.
  await setKernel(internet, [
    `net.ipv4.conf.${ownEnd}.proxy_arp=1`,
    `net.ipv6.conf.${ownEnd}.proxy_ndp=1`,
    'net.ipv6.conf.all.proxy_ndp=1',
  ]);
  for (const { ipv6 } of [addresses.echo, addresses.direct, addresses.resolver])
    await internet.run(words(`ip -6 neigh replace proxy ${ipv6} dev ${ownEnd}`));
  // systemd-networkd and NetworkManager process route information (RFC 4191) themselves; the kernel does it if
  // configured.
  await setKernel(user, [`net.ipv6.conf.${usersEnd}.accept_ra_rt_info_max_plen=64`]);
  return {
    async advertise(advertisement) {
      const { onLink = [], routes = [] } = advertisement;
      await sendOddPacket(internet, {
        device: ownEnd,
        destination: allNodes,
        payload: routerAdvertisement(advertisement).toString('hex'),
      });
      await eventually('the advertisement has been taken', async () => {
        const taken = await user.run(words('ip -6 route show table main'));
        return [...onLink, ...routes].every((prefix) => taken.includes(prefix)) || undefined;
      });
    },
    async lease({ address, routes = [] }) {
      if (address !== undefined) {
        await user.run(words(`ip address add ${address} dev ${usersEnd}`));
        // Packets from there are answered.
        await internet.run(words(`ip route replace ${address.split('/')[0]} dev ${ownEnd}`));
      }
      for (const { to, onLink = false } of routes) {
        const { neighbour } = addresses;
        const way = onLink
          ? 'scope link'
          : `via ${isIPv6(to.split('/')[0] ?? '') ? neighbour.ipv6 : neighbour.ipv4}`;
        await user.run(words(`ip route add ${to} ${way} dev ${usersEnd}`));
      }
    },
  };
}
