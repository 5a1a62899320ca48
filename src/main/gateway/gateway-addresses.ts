import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Settings } from '../preferences/settings.ts';
import { withTimeout } from '../with-timeout.ts';

const rememberedGateways = 32;
/** As many as are looked up ahead. */
const rememberedLookUps = 64;
/** A resolver out of reach would otherwise be waited for half a minute. */
const resolveTimeoutMs = 5000;

/** Finds gateways, and remembers where: while traffic is blocked, no resolver may be in reach. */
export interface GatewayAddresses {
  /** Addresses that are known without asking anybody, in the order to try them. */
  known(host: string): string[];
  /** Looks the name up, and resolves to what is known then; a look-up in progress is waited for. */
  resolve(host: string): Promise<string[]>;
  /** Whether a look-up has found the name since the app began: what is known from before may be old. */
  isFresh(host: string): boolean;
  /** The address at which the gateway answered last. */
  remembered(host: string): string | undefined;
  remember(host: string, address: string): void;
}

export function createGatewayAddresses(
  settings: Settings,
  find: (host: string) => Promise<string[]> = findAddresses,
): GatewayAddresses {
  /** Names that a look-up has found since the app began. */
  const fresh = new Set<string>();
  const inProgress = new Map<string, Promise<void>>();

  const remembered = (host: string) => entryOf(settings.get('gatewayAddresses'), host);

  function known(host: string): string[] {
    if (isIP(host) !== 0) return [host];
    const last = remembered(host);
    const resolved = entryOf(settings.get('gatewayLookUps'), host);
    if (!resolved) return last === undefined ? [] : [last];
    if (last === undefined || !resolved.includes(last)) return resolved;
    return [last, ...resolved.filter((address) => address !== last)];
  }

  function keepLookUp(host: string, addresses: string[]): void {
    const all = settings.get('gatewayLookUps');
    if (entryOf(all, host)?.join() === addresses.join()) return;
    settings.set('gatewayLookUps', withEntry(all, host, addresses, rememberedLookUps));
  }

  async function lookUp(host: string): Promise<void> {
    try {
      const addresses = await find(host);
      if (addresses.length > 0) {
        fresh.add(host);
        keepLookUp(host, addresses);
      }
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
    isFresh: (host) => isIP(host) !== 0 || fresh.has(host),
    remembered,
    remember(host, address) {
      if (isIP(host) !== 0 || remembered(host) === address) return;
      const all = settings.get('gatewayAddresses');
      settings.set('gatewayAddresses', withEntry(all, host, address, rememberedGateways));
    },
  };
}

function entryOf<Value>(all: Record<string, Value>, host: string): Value | undefined {
  return Object.hasOwn(all, host) ? all[host] : undefined;
}

/** With the entry as the newest; the oldest goes where there are too many. */
function withEntry<Value>(all: Record<string, Value>, host: string, value: Value, most: number) {
  const others = Object.entries(all).filter(([name]) => name !== host);
  return Object.fromEntries([...others, [host, value] as const].slice(-most));
}

async function findAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  // Link-local addresses carry a zone, which the helper's rules cannot name.
  return found.map(({ address }) => address).filter((address) => !address.includes('%'));
}
