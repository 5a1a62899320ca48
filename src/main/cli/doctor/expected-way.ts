import { readFileSync } from 'node:fs';
import type { ControlClient } from '#shared/control/contract.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { ActiveRouting, TunnelState } from '#shared/tunnel/state.ts';
import { isByDestination, networksIntoTunnel } from './kernel-route.ts';

/** What goes where, by the state and by what the user has chosen. */
export interface ExpectedWay {
  /** Whether an address belongs in the tunnel, for this very process; undefined: nobody can tell. */
  ofAddress(address: string): boolean | undefined;
  /** Some destinations to ask the kernel for. */
  destinations: readonly string[];
}

/** Nobody's (RFC 5737): which way it would be sent tells as much as any other's. */
const anyAddress = '198.51.100.254';

const all = (belongs: boolean | undefined, service: readonly string[]): ExpectedWay => ({
  ofAddress: () => belongs,
  destinations: service.length > 0 ? service : [anyAddress],
});

/** `service`: addresses that are to be among the destinations. Undefined where the state does not say. */
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
      return all(isAppRouted(tunnel.routing, isInGroup() && !tunnel.ownedByOther), service);
    case 'split':
      return await splitWay(service);
    case 'ip':
      // What another user has chosen is not known to this one's core.
      return tunnel.ownedByOther ? undefined : await addressWay(client, service);
    default:
      return tunnel.routing satisfies never;
  }
}

/** What is blocked while there is no tunnel, as far as the user's choice says. */
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
      return all(isAppRouted({ mode: 'app', policy: chosen.apps?.policy }, isInGroup()), service);
    case 'automatic':
      return all(undefined, service);
    case 'global':
      // A server may have named its own networks; only those are blocked then.
      return all((await isByDestination()) ? undefined : true, service);
    default:
      return chosen.routing satisfies never;
  }
}

/** Whether what a program sends belongs in the tunnel. */
export const isAppRouted = (
  { policy }: Extract<ActiveRouting, { mode: 'app' }>,
  isChosen: boolean,
): boolean | undefined => (policy === undefined ? undefined : isChosen === (policy === 'include'));

/** Whether this process is in the group that is routed by application, as whatever a chosen terminal runs. */
function isInGroup(): boolean {
  try {
    const group = `/${process.getuid?.()}/inside`;
    return readFileSync('/proc/self/cgroup', 'utf8')
      .split('\n')
      .some((line) => line.endsWith(group));
  } catch {
    return false;
  }
}

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

/** Only the gateway and the helper know the networks: the kernel has to do with each what it says of it. */
async function splitWay(service: readonly string[]): Promise<ExpectedWay> {
  const networks = await networksIntoTunnel();
  const some = networks.slice(0, 12).map((network) => network.split('/')[0] ?? '');
  return {
    ofAddress: (address) => networks.some((network) => isInsidePrefix(address, network)),
    destinations: [...new Set([...service, ...some, anyAddress])],
  };
}
