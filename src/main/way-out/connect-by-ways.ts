import { connect } from 'node:net';
import { gatewayThroughProxy } from '#node/anyconnect/gateway-through-proxy.ts';
import type { ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import { connectThroughProxy } from '#node/proxy/connect-through-proxy.ts';
import type { OpenTcp } from '../http-fetch.ts';
import type { WaysOut } from './ways-out.ts';

/** To a gateway, by its proxy if the address is that of one. `open`: how that address is reached. */
export const gatewayByWays =
  (ways: Pick<WaysOut, 'to'>, open: ConnectToGateway): ConnectToGateway =>
  (gateway, address) => {
    const way = ways.to(gateway.host);
    return way?.addresses.includes(address) === true
      ? gatewayThroughProxy(way, way.credentials, open)(gateway, address)
      : open(gateway, address);
  };

/** To the service, by a proxy if there is one, once that is known; not from inside a tunnel that carries everything. */
export const serviceByWays =
  (ways: WaysOut, isInsideTunnel: () => boolean, known: Promise<void>): OpenTcp =>
  async (host, port) => {
    await known;
    const way = isInsideTunnel() ? undefined : ways.to(host);
    const [address] = way?.addresses ?? [];
    if (!way || address === undefined) return connect({ host, port });
    const transport = connect({ host: address, port: way.port });
    const { protocol, credentials } = way;
    return await connectThroughProxy({ transport, protocol, credentials, target: { host, port } });
  };
