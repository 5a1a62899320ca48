import { tunnelDevice } from '../identifiers.ts';
import { chain, type Filter, nftFamilyOf } from './chain.ts';
import { fromOwnAddress, internalDevices, localNetworkRules } from './exemptions.ts';

/**
 * Others' rules may replace the marks of all packets, as those do that restore a connection's mark (CONNMARK): then the
 * group's packets, which left their sockets with the right mark, would be routed like everybody's, and refused. A chain
 * of this type has the kernel look for the way again if the mark has changed; this one comes after all that others
 * usually have.
 */
export function keptMarkChain({ mark }: Filter): string[] {
  if (mark === undefined) return [];
  return chain('marks', 'route hook output priority filter - 1', 'accept', [
    `meta mark != ${mark} socket mark ${mark} meta mark set ${mark}`,
  ]);
}

/**
 * The group's packets are recognised by their mark, whichever device a program has bound its socket to. A look-up
 * within the machine would be answered by a program that asks outside the tunnel, so it is refused; if the group's
 * look-ups are redirected, there are none.
 */
export function groupRules(filter: Filter): string[] {
  const { mark } = filter;
  if (mark === undefined) return [];
  return [
    ...filter.tunnelAddresses.map(
      (own) => `oifname "${tunnelDevice}" ${nftFamilyOf(own)} saddr ${own} accept`,
    ),
    `oifname "${tunnelDevice}" goto refuse`,
    ...fromOwnAddress(filter),
    `meta mark != ${mark} accept`,
    'meta l4proto { tcp, udp } th dport 53 goto refuse',
    'oifname "lo" accept',
    ...internalDevices(filter).map((devices) => `oifname ${devices} accept`),
    ...localNetworkRules({ ...filter, localNetworks: filter.groupNetworks }),
    'goto refuse',
  ];
}
