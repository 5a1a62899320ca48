import { isIPv6 } from 'node:net';
import { addresses } from './addresses.ts';
import type { Machine } from './machine.ts';
import { setKernel } from './network.ts';
import { sendOddPacket } from './odd-packet.ts';
import { eventually, words } from './process.ts';
import { routerAdvertisement, type RouterAdvertisement } from './router-advertisement.ts';

/** Somebody hostile on the user's link; whatever is sent to them for others arrives, and can be seen to. */
export interface Neighbour {
  /** Sends a router advertisement, and resolves when the user's machine has routes to all that it named. */
  readonly advertise: (advertisement: RouterAdvertisement) => Promise<void>;
  /** Gives the user's machine what a DHCP lease would. */
  readonly lease: (lease: Lease) => Promise<void>;
}

export interface Lease {
  /** Address with the length of its network, such as `10.1.2.3/1`. */
  readonly address?: string;
  /** Classless static routes (option 121, RFC 3442), by way of the neighbour or, with `onLink`, of nobody. */
  readonly routes?: readonly { readonly to: string; readonly onLink?: boolean }[];
}

const ownEnd = 'user0';
const usersEnd = 'uplink';
const allNodes = 'ff02::1';

/**
 * On the wire between the user's machine and the internet. The leases are made as DHCP clients make them on the user's
 * machine (isc-dhcp-client's dhclient-script and its hook rfc3442-classless-routes): they are trusted alike.
 */
export async function createNeighbour(user: Machine, internet: Machine): Promise<Neighbour> {
  // Answers who asks for the hardware address of anybody.
  await setKernel(internet, [
    `net.ipv4.conf.${ownEnd}.proxy_arp=1`,
    `net.ipv6.conf.${ownEnd}.proxy_ndp=1`,
    'net.ipv6.conf.all.proxy_ndp=1',
  ]);
  for (const { ipv6 } of [addresses.echo, addresses.direct, addresses.resolver])
    await internet.run(words(`ip -6 neigh replace proxy ${ipv6} dev ${ownEnd}`));
  // What systemd-networkd and NetworkManager do by themselves with route information (RFC 4191) the kernel does if told.
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
        // What is sent from there is answered.
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
