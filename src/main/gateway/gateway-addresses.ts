import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Settings } from '../preferences/settings.ts';
import { withTimeout } from '../with-timeout.ts';

const rememberedGateways = 32;
/** A resolver out of reach would otherwise be waited for half a minute. */
const resolveTimeoutMs = 5000;

/** Finds gateways, and remembers where: while traffic is blocked, no resolver may be in reach. */
export interface GatewayAddresses {
  /** Addresses that are known without asking anybody, in the order to try them. */
  known(host: string): string[];
  /** Looks the name up, and resolves to what is known then; a look-up in progress is waited for. */
  resolve(host: string): Promise<string[]>;
  /** The address at which the gateway answered last. */
  remembered(host: string): string | undefined;
  remember(host: string, address: string): void;
}

export function createGatewayAddresses(
  settings: Settings,
  find: (host: string) => Promise<string[]> = findAddresses,
): GatewayAddresses {
  /** What each look-up found last, where it found anything. */
  const found = new Map<string, string[]>();
  const inProgress = new Map<string, Promise<void>>();

  const remembered = (host: string) => {
    const all = settings.get('gatewayAddresses');
    return Object.hasOwn(all, host) ? all[host] : undefined;
  };

  function known(host: string): string[] {
    if (isIP(host) !== 0) return [host];
    const last = remembered(host);
    const resolved = found.get(host);
    if (!resolved) return last === undefined ? [] : [last];
    if (last === undefined || !resolved.includes(last)) return resolved;
    return [last, ...resolved.filter((address) => address !== last)];
  }

  async function lookUp(host: string): Promise<void> {
    try {
      const addresses = await find(host);
      if (addresses.length > 0) found.set(host, addresses);
    } catch {
      // What was found before may still be right.
    } finally {
      inProgress.delete(host);
    }
  }

  return {
    known,
    async resolve(host) {
      if (isIP(host) !== 0) return [host];
      const work = inProgress.get(host) ?? lookUp(host);
      inProgress.set(host, work);
      await withTimeout(work, resolveTimeoutMs, undefined);
      return known(host);
    },
    remembered,
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
