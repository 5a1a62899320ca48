import type { CurrentNetwork } from '#shared/networks.ts';
import { adapterConstants } from '#node/os/windows/adapter-structures.ts';
import type { Guid } from '#node/os/windows/guid.ts';
import type { NetworkAdapter } from './network-adapters.ts';
import type { JoinedNetwork } from './wireless.ts';
import type { NetworkInUse } from '../networks.ts';

/** What is asked of Windows. */
export interface WindowsNetworks {
  adapters(): NetworkAdapter[];
  joined(adapter: Guid): JoinedNetwork | 'kept-back' | undefined;
}

const none: NetworkInUse = { network: { kind: 'none' }, id: '' };

/** Adapters of VPNs and of this program's own. Some call themselves Ethernet. */
const tunnel =
  /wintun|wireguard|waymaker|tap-|tailscale|zerotier|openvpn|anyconnect|globalprotect|fortinet|juniper/i;
/** Ethernet by name, and somebody's phone or a modem in truth, which Windows does not say of all. */
const phone = /bluetooth|remote ndis|rndis|apple mobile|mobile broadband/i;
/** A switch between guests and the network, or the network card of a guest: nobody knows what is behind it. */
const switched = /virtual|hyper-v|vmware|virtualbox/i;
/** IF_TYPE_WWANPP and IF_TYPE_WWANPP2 of <ipifcons.h>. */
const modemTypes: readonly number[] = [243, 244];

/** The network to which Windows sends the computer's traffic, below any tunnel. */
export function readNetwork(windows: WindowsNetworks): NetworkInUse {
  const used = usedAdapter(windows.adapters());
  if (!used) return none;
  const kind = kindOf(used);
  const id = `${kind} ${used.guid} ${used.routers.join(' ')}`;
  if (kind !== 'wifi') return { network: { kind }, id, ...(isPhone(used) && { isMetered: true }) };
  const joined = windows.joined(guidOf(used));
  // Also while it is joining one, which the next look says more of.
  if (joined === undefined || joined === 'kept-back') {
    // Networks whose routers have the same address count as the same one.
    return { network: { kind: 'wifi', isProtected: false }, id };
  }
  const { ssid, isProtected } = joined;
  return {
    network: { kind: 'wifi', ...(ssid !== '' && { ssid }), isProtected },
    id: ssid === '' ? `${id} ${isProtected}` : `wifi ${ssid} ${isProtected}`,
  };
}

/** That with a router and the lowest metric: IPv4's, or IPv6's where no adapter has a router of IPv4. */
function usedAdapter(adapters: readonly NetworkAdapter[]): NetworkAdapter | undefined {
  const physical = adapters.filter(
    ({ type, description, routers }) =>
      routers.length > 0 && !tunnelTypes.includes(type) && !tunnel.test(description),
  );
  const withIpv4 = physical.filter(({ routers }) => routers.some(isIpv4));
  const [version, candidates] =
    withIpv4.length > 0 ? (['ipv4', withIpv4] as const) : (['ipv6', physical] as const);
  return candidates.toSorted((one, other) => one.metrics[version] - other.metrics[version])[0];
}

/** A SOCKADDR_IN begins with AF_INET, lowest byte first. */
const isIpv4 = (router: string) => router.startsWith('0200');
/** IF_TYPE_SOFTWARE_LOOPBACK, IF_TYPE_PROP_VIRTUAL (Wintun's) and IF_TYPE_TUNNEL of <ipifcons.h>. */
const tunnelTypes: readonly number[] = [24, 53, 131];

const isPhone = ({ type, description }: NetworkAdapter): boolean =>
  phone.test(description) || modemTypes.includes(type);

function kindOf({ type, description }: NetworkAdapter): Exclude<CurrentNetwork['kind'], 'none'> {
  if (phone.test(description) || switched.test(description)) return 'other';
  if (type === adapterConstants.IF_TYPE_IEEE80211) return 'wifi';
  return type === adapterConstants.IF_TYPE_ETHERNET_CSMACD ? 'wired' : 'other';
}

const guidOf = ({ guid }: NetworkAdapter) => guid.replace(/[{}]/g, '').toLowerCase() as Guid;
