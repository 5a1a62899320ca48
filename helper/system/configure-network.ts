import { settleAll } from '../settle-all.ts';
import { addressesOf } from '../network/gateway-endpoint.ts';
import { addressList, type TunnelConfiguration } from '../network/tunnel-configuration.ts';
import { expectNoConflict } from './address-conflict.ts';
import { askedServers } from './asked-resolvers.ts';
import { gatewayRoundTrip } from './gateway-round-trip.ts';
import { deviceConfigurationOf, filterRulesOf, routingRulesOf } from './network-rules.ts';
import type { SystemAdapter } from './system-adapter.ts';
import { changing, type SystemParts } from './system-parts.ts';

/** See `SystemAdapter.configure`; no other change of the system is in progress. */
export async function configureNetwork(
  parts: SystemParts,
  given: TunnelConfiguration,
): ReturnType<SystemAdapter['configure']> {
  const { ports, setup, dns, proxies, follower, overruled, portal, log } = parts;
  const { device, router, filter, uplink, connections } = ports;
  const current = setup.applied;
  if (!current) throw new Error('configure before apply');
  const { ipv4 } = given.addresses;
  const addresses = uplink.hasIpv6() ? given.addresses : ipv4 === undefined ? {} : { ipv4 };
  const fresh = addressList(addresses);
  const networks = await current.attachedNetworks;
  expectNoConflict(fresh, { networks, gateways: addressesOf(current.connection) });
  const old = current.assigned.filter((address) => !fresh.includes(address));
  const { address } = current.connection;
  const [servers, roundTripMs] = await Promise.all([
    dns.usableServers(current, given.dns.servers, addresses),
    gatewayRoundTrip(parts, address),
  ]);
  current.roundTripMs = roundTripMs;
  if (servers.length === 0) log.warn('there is no resolver that can be asked through the tunnel');
  current.assigned = [...old, ...fresh];
  await portal.close();
  const configuration = { ...given, addresses, dns: { ...given.dns, servers } };
  await changing(async () => {
    // Before there is a route into the tunnel, so that it never captures more than the gateway wants.
    const connection = { ...current.connection, pushedRoutes: given.pushedRoutes };
    const { awaitedAddresses = [] } = connection;
    const isReplanned = await follower.replan(current, connection);
    current.configuration = configuration;
    await proxies.configure(current);
    const ownPromise = () => filter.set(filterRulesOf(current));
    await settleAll([
      ...(isReplanned ? [] : [ownPromise()]),
      device.configure(deviceConfigurationOf(configuration)),
      dns.apply(current),
    ]);
    if (isReplanned) await ownPromise();
    // Some rules contain the addresses.
    await router.set(routingRulesOf(current, fresh));
    await device.removeAddresses(old);
    // What waited for other addresses than came would wait in vain.
    await connections.end(awaitedAddresses.filter((awaited) => !fresh.includes(awaited)));
    current.connection = { ...current.connection, awaitedAddresses: undefined };
  });
  current.assigned = fresh;
  overruled.start();
  return { addresses, dns: { ...given.dns, servers: askedServers(current) }, roundTripMs };
}
