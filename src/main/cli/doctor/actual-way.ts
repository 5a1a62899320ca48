import type { ControlClient } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { isAlwaysOutside } from './always-outside.ts';
import { blockedWay, expectedWay, type ExpectedWay } from './expected-way.ts';
import { finding, type Finding } from './finding.ts';
import { checkGroup } from './group-check.ts';
import { checkProxy } from './proxy-check.ts';
import { addressesOf, tryConnection } from './remote-services.ts';
import { thisSystem } from './this-system.ts';

export interface ActualWayOptions {
  tunnel: TunnelState;
  /** The host that connections go to. */
  service: { host: string; port: number };
  /** Undefined if there is no core to ask. */
  client: ControlClient | undefined;
  say: Say;
}

/** The same, with the service's addresses and whether the local network bypasses the tunnel. */
interface Surroundings extends ActualWayOptions {
  serviceAddresses: readonly string[];
  localNetwork: boolean;
}

/**
 * Checks whether traffic goes where the state says: by asking the kernel how it would route packets to some
 * destinations, and by connecting to the service and looking at the local address of the connection. If only a proxy's
 * or some programs' traffic belongs in the tunnel, it also connects in that way.
 */
export async function checkActualWay(options: ActualWayOptions): Promise<Finding[]> {
  const { tunnel, service, client } = options;
  const serviceAddresses = await addressesOf(service.host);
  const preferences = await client?.preferences.get().catch(() => undefined);
  const given = { ...options, serviceAddresses, localNetwork: preferences?.localNetwork ?? false };
  if (isBlocked(tunnel)) {
    const way = await blockedWay(client, serviceAddresses);
    return [{ check: 'route', outcome: 'unknown' }, await checkBlocked(way, given)];
  }
  const way = await expectedWay(tunnel, client, serviceAddresses);
  if (!way) return (['route', 'probe'] as const).map((check) => ({ check, outcome: 'unknown' }));
  const [route, probe, more] = await Promise.all([
    checkRoutes(way, given),
    checkProbe(way, given),
    checkOthers(given),
  ]);
  return [route, probe, ...more];
}

async function checkRoutes(way: ExpectedWay, given: Surroundings): Promise<Finding> {
  const missing = await missingNetworks(given);
  if (missing) return missing;
  const routes = await Promise.all(way.destinations.map((address) => thisSystem.routeTo(address)));
  const judged = routes.flatMap((route) => {
    const expected = route && way.ofAddress(route.address);
    if (!route || expected === undefined || isAlwaysOutside(route, given)) return [];
    return [{ ...route, isRight: route.isTunnel === expected }];
  });
  if (judged.length === 0) return { check: 'route', outcome: 'unknown' };
  const wrong = judged.find(({ isRight }) => !isRight);
  if (!wrong) return { check: 'route', outcome: 'ok' };
  const { address, device } = wrong;
  return finding('route', false, given.say('doctor.routeWrong', { address, device }));
}

/** For a server that has named its networks: whether that many networks are routed into the tunnel. */
async function missingNetworks({ tunnel, say }: Surroundings): Promise<Finding | undefined> {
  if (tunnel.state !== 'connected' || tunnel.routing.mode !== 'split') return undefined;
  const { networks } = tunnel.routing;
  const led = (await thisSystem.networksIntoTunnel()).length;
  // Networks of an IP version that the tunnel does not have are refused, and not routed.
  const hasBoth = tunnel.addresses.ipv4 !== undefined && tunnel.addresses.ipv6 !== undefined;
  const isMissing = hasBoth ? led < networks : led === 0 && networks > 0;
  const values = { networks: String(networks), found: String(led) };
  return isMissing ? finding('route', false, say('doctor.networksMissing', values)) : undefined;
}

async function checkProbe(way: ExpectedWay, given: Surroundings): Promise<Finding> {
  const { tunnel, service, say } = given;
  const made = await tryConnection(service.host, service.port);
  if (!made) return finding('probe', false, say('doctor.probeSilent'));
  const expected = way.ofAddress(made.to);
  const route = await thisSystem.routeTo(made.to);
  const isExcepted = route !== undefined && isAlwaysOutside(route, given);
  if (expected === undefined || isExcepted || (await isGateway(made.to, given)))
    return { check: 'probe', outcome: 'unknown' };
  const isRight = isOfTunnel(made.from, tunnel) === expected;
  return finding('probe', isRight, say('doctor.probeWrong', { address: made.from }));
}

/** Whether nothing that should be blocked gets out. */
async function checkBlocked(way: ExpectedWay | undefined, given: Surroundings): Promise<Finding> {
  const { service, serviceAddresses, say } = given;
  const made = await tryConnection(service.host, service.port);
  if (!made) {
    const isAsItShould = serviceAddresses.every((to) => way?.ofAddress(to));
    return { check: 'probe', outcome: isAsItShould ? 'ok' : 'unknown' };
  }
  const route = await thisSystem.routeTo(made.to);
  const isLeak = way?.ofAddress(made.to) === true && !(route && isAlwaysOutside(route, given));
  return isLeak ? finding('probe', false, say('doctor.blockLeaks')) : { check: 'probe', outcome: 'unknown' };
}

/** What some modes promise about programs other than this one. */
async function checkOthers({ tunnel, service, client, say, ...given }: Surroundings): Promise<Finding[]> {
  if (tunnel.state !== 'connected' || tunnel.ownedByOther || !client) return [];
  const { routing } = tunnel;
  if (routing.mode === 'pac' && routing.proxy) {
    const { serviceAddresses } = given;
    return [await checkProxy({ proxy: routing.proxy, service, serviceAddresses, client, say })];
  }
  if (routing.mode !== 'app') return [];
  const isFromTunnel = (address: string) => isOfTunnel(address, tunnel);
  return [await checkGroup({ routing, service, client, isFromTunnel, say })];
}

/** A service at the gateway's own port is reached outside the tunnel. */
async function isGateway(address: string, { tunnel, service }: Surroundings): Promise<boolean> {
  if (tunnel.state !== 'connected' || tunnel.gateway.port !== service.port) return false;
  return (await addressesOf(tunnel.gateway.host)).includes(address);
}

function isOfTunnel(address: string, tunnel: TunnelState): boolean {
  if (tunnel.state !== 'connected') return false;
  return address === tunnel.addresses.ipv4 || address === tunnel.addresses.ipv6;
}
