import { isIPv4 } from 'node:net';
import { findAddresses } from './find-addresses.ts';
import { sourceAddressTo } from './source-address.ts';
import { withTimeout } from '../with-timeout.ts';
import type { GatewayAddresses } from './gateway-addresses.ts';
import { nat64Prefixes, wellKnownName, type Nat64Prefix } from './nat64.ts';
import { ownAddresses } from './own-addresses.ts';

const lookUpLimitMs = 5000;
/** Of the networks in which this computer has just been. */
const maxEarlierPrefixes = 8;
/** Within the prefix that translators may share (RFC 6052 §2.1). */
const someIpv6 = '64:ff9b::';

interface World {
  /** Whether traffic flows outside a tunnel, so that names and routes are this network's. */
  isOpen: () => boolean;
  find?: (name: string) => Promise<string[]>;
  hasRouteTo?: (address: string) => Promise<boolean>;
  here?: () => string;
}

/**
 * In a network without IPv4, a gateway of which only addresses of IPv4 are known is reached by the network's translator
 * (RFC 7050). Resolvers of such networks (DNS64) answer so by themselves, but only to who asks them for a name.
 */
export function addressesThroughNat64(addresses: GatewayAddresses, world: World): GatewayAddresses {
  const { isOpen, find = findAddresses, hasRouteTo = isRouted, here = ownAddresses } = world;
  /** Of the network in which that was last found out: nobody can be asked while traffic is blocked. */
  let prefixes: readonly Nat64Prefix[] = [];
  /** Those and earlier ones: what was begun in one network may end in the next. */
  let recent: readonly Nat64Prefix[] = [];
  let askedIn: string | undefined;

  async function ask(ipv4: string): Promise<void> {
    const network = here();
    if (!isOpen() || askedIn === network) return;
    const found = await prefixesFor(ipv4);
    if (found === undefined || !isOpen() || here() !== network) return;
    prefixes = found;
    recent = [...found, ...recent].slice(0, maxEarlierPrefixes);
    askedIn = network;
  }

  /** Undefined if nobody has said whether there are any. */
  async function prefixesFor(ipv4: string): Promise<Nat64Prefix[] | undefined> {
    if (await hasRouteTo(ipv4)) return [];
    // Otherwise there is no network, and no answer either.
    return (await hasRouteTo(someIpv6)) ? await findPrefixes(find) : undefined;
  }

  function reachable(known: string[]): string[] {
    if (!isOnlyIpv4(known)) return known;
    return [...known.flatMap((address) => prefixes.map((prefix) => prefix.translate(address))), ...known];
  }

  return {
    ...addresses,
    known: (host) => reachable(addresses.known(host)),
    async resolve(host) {
      const found = await addresses.resolve(host);
      const [first] = found;
      if (first !== undefined && isOnlyIpv4(found)) await ask(first);
      return reachable(found);
    },
    isFresh(host) {
      const isAsked = !isOpen() || !isOnlyIpv4(addresses.known(host)) || askedIn === here();
      return addresses.isFresh(host) && isAsked;
    },
    remembered(host) {
      const last = addresses.remembered(host);
      return last === undefined ? undefined : reachable([last])[0];
    },
    remember(host, address) {
      const known = addresses.known(host);
      const originals = recent.map((prefix) => prefix.original(address));
      // That of the translator is nobody's in another network.
      addresses.remember(host, known.find((own) => originals.includes(own)) ?? address);
    },
  };
}

const isOnlyIpv4 = (addresses: readonly string[]): boolean =>
  addresses.length > 0 && addresses.every((address) => isIPv4(address));

const isRouted = async (address: string) => (await sourceAddressTo(address)) !== undefined;

/** Undefined if nobody has answered. */
async function findPrefixes(find: (name: string) => Promise<string[]>): Promise<Nat64Prefix[] | undefined> {
  const answer = find(wellKnownName).then(nat64Prefixes, (error: NodeJS.ErrnoException) =>
    error.code === 'ENOTFOUND' ? [] : undefined,
  );
  return await withTimeout(answer, lookUpLimitMs, undefined);
}
