import type { ControlClient } from '#shared/control/contract.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { ActiveRouting, TunnelState } from '#shared/tunnel/state.ts';
import { thisSystem } from './this-system.ts';

/** Where traffic should go, according to the state and the user's choice. */
export interface ExpectedWay {
  /** Whether traffic of this process to an address belongs in the tunnel; undefined if that is not known. */
  ofAddress(address: string): boolean | undefined;
  /** Some destinations for asking the kernel. */
  destinations: readonly string[];
}

/** An unused address (RFC 5737); its route is as good a sample as any. */
const anyAddress = '198.51.100.254';

const all = (belongs: boolean | undefined, service: readonly string[]): ExpectedWay => ({
  ofAddress: () => belongs,
  destinations: service.length > 0 ? service : [anyAddress],
});

/** `service`: addresses to include in the destinations. Undefined if the state does not say. */
export async function expectedWay(
  tunnel: TunnelState,
  client: ControlClient | undefined,
  service: readonly string[],
): Promise<ExpectedWay | undefined> {
  if (tunnel.state !== 'connected') return tunnel.state === 'disconnected' ? all(false, service) : undefined;
  switch (tunnel.routing.mode) {
    case 'global':
      return all(true, service);
    case 'pac':
      return all(false, service);
    case 'app':
      return all(isAppRouted(tunnel.routing, thisSystem.isInGroup() && !tunnel.ownedByOther), service);
    case 'split':
      return await splitWay(service);
    case 'ip':
      // This user's core does not know what another user has chosen.
      return tunnel.ownedByOther ? undefined : await addressWay(client, service);
    default:
      return tunnel.routing satisfies never;
  }
}

/** What is blocked without a tunnel, according to the user's choice. */
export async function blockedWay(
  client: ControlClient | undefined,
  service: readonly string[],
): Promise<ExpectedWay | undefined> {
  const chosen = await client?.preferences.get().catch(() => undefined);
  if (!chosen) return undefined;
  switch (chosen.routing) {
    case 'address':
      return (await addressWay(client, service)) ?? all(undefined, service);
    case 'app':
      return all(isAppRouted({ mode: 'app', policy: chosen.apps?.policy }, thisSystem.isInGroup()), service);
    case 'automatic':
      return all(undefined, service);
    case 'global':
      // A server may have named its own networks; then only those are blocked.
      return all((await thisSystem.isByDestination()) ? undefined : true, service);
    default:
      return chosen.routing satisfies never;
  }
}

/** Whether traffic of a program belongs in the tunnel. */
export const isAppRouted = (
  { policy }: Extract<ActiveRouting, { mode: 'app' }>,
  isChosen: boolean,
): boolean | undefined => (policy === undefined ? undefined : isChosen === (policy === 'include'));

async function addressWay(
  client: ControlClient | undefined,
  service: readonly string[],
): Promise<ExpectedWay | undefined> {
  const samples = await client?.routing.samples({ addresses: [...service] }).catch(() => undefined);
  const known = samples?.destinations;
  if (!known) return undefined;
  return {
    ofAddress: (address) => known.find((one) => one.address === address)?.isRouted,
    destinations: known.map(({ address }) => address),
  };
}

/** Only the gateway and the helper know the networks, so the kernel is asked about each network that it lists. */
async function splitWay(service: readonly string[]): Promise<ExpectedWay> {
  const networks = await thisSystem.networksIntoTunnel();
  const some = networks.slice(0, 12).map((network) => network.split('/')[0] ?? '');
  return {
    ofAddress: (address) => networks.some((network) => isInsidePrefix(address, network)),
    destinations: [...new Set([...service, ...some, anyAddress])],
  };
}
