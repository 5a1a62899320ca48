import { addresses } from '../addresses.ts';
import type { Route, Surroundings } from '../checks/surroundings.ts';
import type { UplinkWatch } from '../checks/uplink-watch.ts';
import type { Peer } from '../far-side/peer.ts';
import { servedPorts, type Answer } from '../far-side/questions.ts';
import { networksOf } from '../portable/own-addresses.ts';
import type { SelfTestHere, Uplink } from '../self-test.ts';
import { localNeighbours } from './local-neighbours.ts';

/** How long the gateway is away when the engine is killed, from soon after that was announced. */
const away = { afterMs: 60, forMs: 2_500 } as const;

/** What checks meet on this computer's own network; `facts` gets what a report says of it. */
export function surroundingsOf(options: {
  here: SelfTestHere;
  uplink: Uplink;
  peer: Peer;
  begun: Answer<'begin'>;
  facts: Record<string, string>;
}): Surroundings {
  const { here, uplink, peer, begun, facts } = options;
  const { peer: far = '', own = '' } = peer.addresses ?? {};
  const isOnThisComputer = far === own;
  const port = servedPorts.neighbour;
  // The gateway's host, too, is a neighbour like any other.
  const ofPeer = [...(begun.neighbour === null ? [] : [begun.neighbour]), far];
  const neighbours = localNeighbours(ofPeer, networksOf(uplink.device));
  facts['gateway'] = isOnThisComputer ? 'on this computer' : `on another computer (${begun.version})`;
  facts['IPv6'] = `${uplink.hasIpv6 ? 'yes' : 'no'}${uplink.hasIpv6Outside ? ', with a default route' : ''}`;
  let watch: UplinkWatch | undefined;
  try {
    watch = here.openWatch(uplink);
  } catch (error) {
    facts['observer'] = error instanceof Error ? error.message : String(error);
  }
  const { hardware } = uplink;
  const canAsk = !isOnThisComputer && begun.canAskAsNeighbour && hardware !== '';
  const routers = isOnThisComputer ? uplink.router : far;
  return {
    places: {
      ...addresses,
      gateway: { addresses: [far], port: servedPorts.gateway },
      router: uplink.router ?? addresses.router.ipv4,
      neighbours: isOnThisComputer ? [] : neighbours.map((host) => ({ host, port })),
    },
    hasIpv6: uplink.hasIpv6,
    hasIpv6Outside: uplink.hasIpv6Outside,
    answersOutside: false,
    isShared: true,
    isOnThisComputer,
    reachedOutside: isOnThisComputer ? undefined : { host: far, port },
    farSide: {
      counts: () => peer.ask({ ask: 'counts' }),
      heard: async (place, token) => (await peer.ask({ ask: 'heard', place, token })).texts,
      async away(first, meanwhile) {
        await peer.ask({ ask: 'away', ...away });
        first();
        return await meanwhile();
      },
    },
    computer: here.computer(uplink),
    watch,
    // Only for what nobody needs: it is the network of somebody who works there.
    hostileRoutes: routers === undefined || routers.includes(':') ? [] : hostileRoutes(routers),
    askAsNeighbour: canAsk
      ? async (pair) => {
          const { tried, answered } = await peer.ask({ ask: 'neighbour', hardware, ...pair });
          // A computer without IPv6 has nothing to answer for.
          return { tried: tried.filter((name) => uplink.hasIpv6 || !name.includes(pair.ipv6)), answered };
        }
      : undefined,
    neighbourObservers: ['neighbour'],
    whyNoNeighbour: isOnThisComputer ? 'no-second-computer' : 'no-observer',
    whyNoHost: isOnThisComputer ? 'no-second-computer' : 'no-second-address',
  };
}

/** Nearer than any default route, by way of the local network. */
const hostileRoutes = (via: string): Route[] =>
  [`${addresses.host.ipv4}/32`, '203.0.113.0/24'].map((prefix) => ({ prefix, via }));
