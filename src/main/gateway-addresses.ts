import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Settings } from './settings.ts';
import { timeBox } from './time-box.ts';

const rememberedGateways = 32;
/** A resolver out of reach would otherwise be waited for half a minute. */
const resolveTimeoutMs = 5000;

/** Finds gateways, and remembers where: while traffic is held back, no resolver may be in reach. */
export interface GatewayAddresses {
  /** Addresses in the order to try them; none if the name is unknown. */
  resolve(host: string): Promise<string[]>;
  /** The address at which the gateway answered last. */
  remembered(host: string): string | undefined;
  remember(host: string, address: string): void;
}

export function createGatewayAddresses(
  settings: Settings,
  find: (host: string) => Promise<string[]> = findAddresses,
): GatewayAddresses {
  const remembered = (host: string) => {
    const all = settings.get('gatewayAddresses');
    return Object.hasOwn(all, host) ? all[host] : undefined;
  };
  return {
    remembered,
    async resolve(host) {
      if (isIP(host) !== 0) return [host];
      const last = remembered(host);
      const found = await timeBox<string[], string[]>(
        find(host).catch((): string[] => []),
        resolveTimeoutMs,
        [],
      );
      if (last === undefined) return found;
      if (found.length === 0) return [last];
      return found.includes(last) ? [last, ...found.filter((address) => address !== last)] : found;
    },
    remember(host, address) {
      if (isIP(host) !== 0 || remembered(host) === address) return;
      const others = Object.entries(settings.get('gatewayAddresses')).filter(([name]) => name !== host);
      settings.set(
        'gatewayAddresses',
        Object.fromEntries([...others, [host, address]].slice(-rememberedGateways)),
      );
    },
  };
}

async function findAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  // Link-local addresses carry a zone, which the helper's rules cannot name.
  return found.map(({ address }) => address).filter((address) => !address.includes('%'));
}
