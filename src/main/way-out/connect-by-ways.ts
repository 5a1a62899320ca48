import { connect, type Socket } from 'node:net';
import { gatewayThroughProxy } from '#node/anyconnect/gateway-through-proxy.ts';
import type { ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import { connectThroughProxy, ProxyRefused } from '#node/proxy/connect-through-proxy.ts';
import type { OpenTcp } from '../http-fetch.ts';
import { answersSoon } from './answers-soon.ts';
import type { WayOut } from './way-out.ts';
import type { WaysOut } from './ways-out.ts';

/** To a gateway, by its proxy if the address is that of one. `open`: how that address is reached. */
export const gatewayByWays =
  (ways: Pick<WaysOut, 'to' | 'refused' | 'verified'>, open: ConnectToGateway): ConnectToGateway =>
  async (gateway, address) => {
    const way = ways.to(gateway.host);
    if (way?.addresses.includes(address) !== true) return await open(gateway, address);
    return await noticingRefusal(
      ways,
      way,
      gatewayThroughProxy(way, knownOf(ways, way), open)(gateway, address),
    );
  };

/**
 * The proxy that leads to a host now; undefined: none does, or it is reached through a tunnel that carries everything.
 */
export type FindWay = (host: string) => Promise<WayOut | undefined>;

/** What a tunnel carries now. One that carries a part may carry the packets to a proxy, or keep others from it. */
export type TunnelReach = 'nothing' | 'a-part' | 'everything';

export const wayOutside =
  (ways: Pick<WaysOut, 'to' | 'learn'>, reach: () => TunnelReach): FindWay =>
  async (host) => {
    if (reach() !== 'everything') await ways.learn([host]);
    if (reach() === 'everything') return undefined;
    const way = ways.to(host);
    // A proxy that is not reached leads nowhere; the host may be reached through the tunnel.
    return way && reach() === 'a-part' && !(await answersSoon(way)) ? undefined : way;
  };

/** To a host by the proxy that leads to it, or directly. */
export const openByWay =
  (find: FindWay, ways: Pick<WaysOut, 'refused' | 'verified'>): OpenTcp =>
  async (host, port) => {
    const way = await find(host);
    const [address] = way?.addresses ?? [];
    if (!way || address === undefined) return connect({ host, port });
    const asked = connectThroughProxy({
      connect: () => Promise.resolve(connect({ host: address, port: way.port })),
      protocol: way.protocol,
      ...knownOf(ways, way),
      target: { host, port },
    });
    return await noticingRefusal(ways, way, asked);
  };

const knownOf = (ways: Pick<WaysOut, 'verified'>, way: WayOut) => ({
  credentials: way.credentials,
  identity: { name: way.host },
  onKey: (certificatePin: string) => ways.verified(way, certificatePin),
});

async function noticingRefusal(
  ways: Pick<WaysOut, 'refused'>,
  way: WayOut,
  connection: Promise<Socket>,
): Promise<Socket> {
  try {
    return await connection;
  } catch (error) {
    if (error instanceof ProxyRefused && error.why === 'credentials') ways.refused(way, error.realm);
    throw error;
  }
}
