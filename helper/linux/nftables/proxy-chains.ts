import { tunnelDevice } from '../identifiers.ts';
import { type Filter, isUid, nftFamilyOf } from './chain.ts';
import { engineRules, fromOwnAddress } from './exemptions.ts';

/** What the programs of ours that carry others' connections may do: the proxy of mode pac, and the portal's. */

/** Its port is only for the user who asked for it, and nobody else may answer there, as with the proxy of mode pac. */
export function portalProxyRules(filter: Filter): string[] {
  const { portal, engineUid } = filter;
  if (!portal || engineUid === undefined) return [];
  const allowed = `{ ${[...(isUid(portal.client) ? [portal.client] : []), engineUid].join(', ')} }`;
  return [
    ...['dport', 'sport'].map(
      (end) => `oifname "lo" tcp ${end} ${portal.proxyPort} meta skuid != ${allowed} goto refuse`,
    ),
    ...engineRules(filter, 'tcp'),
    noWayIn(engineUid),
  ];
}

/**
 * A proxy's user opens no connection within the machine, by whichever of its addresses: the proxy refuses them too, but
 * does not know at once of one that is new. The user is asked for last, which is of what few packets are.
 */
const noWayIn = (uid: number) => `oifname "lo" tcp flags & (syn | ack) == syn meta skuid ${uid} goto refuse`;

/**
 * The first two: the proxy's port is for those who connected, and nobody else may answer there, even if the proxy is
 * gone. Otherwise other users of the machine could use the tunnel, or receive what is meant for the proxy.
 */
export function proxyRules(filter: Filter): string[] {
  const { proxyUid, proxyPort } = filter;
  if (proxyUid === undefined) return [];
  const allowed = `{ ${[...filter.clientUids, proxyUid].join(', ')} }`;
  return [
    ...(proxyPort === undefined
      ? []
      : ['dport', 'sport'].map(
          (end) => `oifname "lo" tcp ${end} ${proxyPort} meta skuid != ${allowed} goto refuse`,
        )),
    noWayIn(proxyUid),
    'oifname "lo" accept',
    ...filter.tunnelAddresses.map(
      (own) => `oifname "${tunnelDevice}" ${nftFamilyOf(own)} saddr ${own} accept`,
    ),
    `oifname "${tunnelDevice}" goto refuse`,
    ...fromOwnAddress(filter),
    `meta skuid ${proxyUid} goto refuse`,
  ];
}

/**
 * If only the proxy uses the tunnel, nothing is forwarded into it or out of it: neither from the gateway into the
 * networks around the machine, nor from a neighbour who sends from the tunnel's own address, which IPv6 forwards.
 * Dropped, because a rejection would quote, outside the tunnel, what came through it.
 */
export const tunnelForwardRules = ['iifname', 'oifname'].map((way) => `${way} "${tunnelDevice}" drop`);
