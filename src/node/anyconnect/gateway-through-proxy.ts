import type { ProxyAtAddress } from '#shared/helper/protocol.ts';
import { connectThroughProxy, type ThroughProxy } from '#node/proxy/connect-through-proxy.ts';
import { connectDirectly, type ConnectToGateway } from './gateway-tls.ts';

/** Opens connections to gateways through the proxy that is at the address in the gateway's place. */
export function gatewayThroughProxy(
  { protocol, port }: ProxyAtAddress,
  known: Pick<ThroughProxy, 'credentials' | 'identity' | 'onKey'>,
  connect: ConnectToGateway = connectDirectly,
): ConnectToGateway {
  return async (gateway, address) =>
    await connectThroughProxy({
      connect: () => connect(gateway, address, port),
      protocol,
      ...known,
      target: gateway,
    });
}
