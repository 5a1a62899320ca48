import { isIP } from 'node:net';
import { findAddresses } from './find-addresses.ts';
import { maxOtherAddresses } from '#shared/helper/protocol.ts';
import type { Settings } from '../preferences/settings.ts';
import { withTimeout } from '../with-timeout.ts';
import { reachOf } from './address-reach.ts';
import { ownAddresses } from './own-addresses.ts';

const rememberedGateways = 32;
/** At most this many names are looked up in advance. */
const rememberedLookUps = 64;
/**
 * Of each IP version, as many as the helper takes. Whoever answers for a name could otherwise have thousands of hosts
 * connected to, since addresses are tried until one of them has the gateway's key.
 */
const maxOfVersion = 1 + maxOtherAddresses;
/** How long nothing is asked again for a name, which may pass on to another address. */
const freshMs = 10 * 60_000;
/** Otherwise an unreachable resolver would delay everything by half a minute. */
const resolveTimeoutMs = 5000;

/**
 * Resolves gateways' names and remembers their addresses, because no resolver may be reachable while traffic is
 * blocked.
 */
export interface GatewayAddresses {
  /** Addresses that are known without a look-up, in the order to try them. */
  known(host: string): string[];
  /** Looks the name up, or waits for a look-up in progress, and resolves with all addresses that are known then. */
  resolve(host: string): Promise<string[]>;
  /**
   * Looks the name up where another answer may be given than without a tunnel: what is found comes after what is known,
   * and nothing from nearer networks is taken.
   */
  learnMore(host: string): Promise<void>;
  /** Whether a look-up has succeeded in the last minutes, and in this network; older addresses may be out of date. */
  isFresh(host: string): boolean;
  /** The address at which the gateway last answered. */
  remembered(host: string): string | undefined;
  remember(host: string, address: string): void;
}

export function createGatewayAddresses(
  settings: Settings,
  find: (host: string) => Promise<string[]> = findAddresses,
  here: () => string = ownAddresses,
): GatewayAddresses {
  /** When names were resolved, and in which network. */
  const resolved = new Map<string, { at: number; here: string }>();
  const inProgress = new Map<string, Promise<void>>();

  const remembered = (host: string) => entryOf(settings.get('gatewayAddresses'), host);

  function known(host: string): string[] {
    if (isIP(host) !== 0) return [host];
    const last = remembered(host);
    const found = entryOf(settings.get('gatewayLookUps'), host);
    if (!found) return last === undefined ? [] : [last];
    if (last === undefined) return found;
    if (!found.includes(last)) return isNearer(found, last) ? [...found, last] : found;
    return [last, ...found.filter((address) => address !== last)];
  }

  function keepLookUp(host: string, addresses: string[]): void {
    const all = settings.get('gatewayLookUps');
    if (entryOf(all, host)?.join() === addresses.join()) return;
    settings.set('gatewayLookUps', withEntry(all, host, addresses, rememberedLookUps));
  }

  async function lookUp(host: string): Promise<void> {
    try {
      const asked = here();
      const addresses = fewOf(await find(host), remembered(host));
      if (addresses.length > 0) {
        keepLookUp(host, addresses);
        const last = remembered(host);
        // Whoever has to sign in to a hotel's network first gets the right answer soon.
        if (last !== undefined && isNearer(addresses, last)) resolved.delete(host);
        else resolved.set(host, { at: Date.now(), here: asked });
      }
    } catch {
      // Addresses from before may still be right.
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
    async learnMore(host) {
      if (isIP(host) !== 0) return;
      const found = await withTimeout(
        find(host).catch(() => []),
        resolveTimeoutMs,
        [],
      );
      const [first, ...others] = known(host);
      if (first === undefined) return;
      const nearest = Math.min(...[first, ...others].map(reachOf));
      const news = found.filter(
        (address) => address !== first && !others.includes(address) && reachOf(address) >= nearest,
      );
      if (news.length > 0) keepLookUp(host, [first, ...[...others, ...news].slice(-maxOtherAddresses)]);
    },
    isFresh(host) {
      if (isIP(host) !== 0) return true;
      const last = resolved.get(host);
      return last?.here === here() && Math.abs(Date.now() - last.at) < freshMs;
    },
    remembered,
    remember(host, address) {
      if (isIP(host) !== 0 || remembered(host) === address) return;
      const all = settings.get('gatewayAddresses');
      settings.set('gatewayAddresses', withEntry(all, host, address, rememberedGateways));
    },
  };
}

/**
 * Whether all of these are of nearer networks than one at which the gateway has been: hotels answer with their own
 * sign-in page, and lists of blocked names with this computer, or with no address. A company's own resolvers do so
 * rightly.
 */
const isNearer = (addresses: readonly string[], last: string): boolean =>
  addresses.every((address) => reachOf(address) < reachOf(last));

/** The first ones, and the one that has answered last, if it is among them. */
function fewOf(found: readonly string[], last: string | undefined): string[] {
  const all = [...new Set(last !== undefined && found.includes(last) ? [last, ...found] : found)];
  const first = (version: number) =>
    all.filter((address) => isIP(address) === version).slice(0, maxOfVersion);
  const few = new Set([...first(4), ...first(6)]);
  return all.filter((address) => few.has(address));
}

function entryOf<Value>(all: Record<string, Value>, host: string): Value | undefined {
  return Object.hasOwn(all, host) ? all[host] : undefined;
}

/** Adds the entry as the newest, and removes the oldest if there are too many. */
function withEntry<Value>(all: Record<string, Value>, host: string, value: Value, max: number) {
  const others = Object.entries(all).filter(([name]) => name !== host);
  return Object.fromEntries([...others, [host, value] as const].slice(-max));
}
