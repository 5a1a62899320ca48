import { isIP, isIPv6 } from 'node:net';
import { blockListOf } from '#node/network/block-list.ts';
import { findAddresses } from '../../gateway/find-addresses.ts';
import { privateNetworks } from '#shared/tunnel/local-networks.ts';
import { withTimeout } from '../../with-timeout.ts';
import type { NetworkFiles } from '../network-files.ts';
import { networkFiles } from '../posix/network-files.ts';

/** For looking up all names together: many networks have no such name, and some never answer. */
const lookUpLimitMs = 2_000;
/** As many as resolv.conf(5) allowed for long. */
const maxDomains = 6;

/** A script that the network names. */
export interface DiscoveredScript {
  address: string;
  /**
   * Where its server is, if only that tells whose it is: somebody else's resolver may give one address to whoever looks
   * whether it is private, and another one to whoever connects.
   */
  at?: readonly string[];
}

export interface DiscoveryWorld {
  /** Where a server of DHCP says that it is. */
  byDhcp: () => Promise<string | undefined>;
  find?: (name: string) => Promise<string[]>;
  files?: NetworkFiles;
}

/**
 * Where this network says that the script is which chooses the proxies (WPAD, draft-ietf-wrec-wpad-01), for desktops
 * that look for one; undefined if it says nothing. DHCP comes first, then the name `wpad` in hosts(5), and in each
 * search domain.
 *
 * Others have been led astray by such names, and so less is taken than they take. Nothing is looked up above a search
 * domain, nor in one that has no dot, such as `school`: strangers have registered wpad.com and wpad.school. The name
 * has to lead to an address that is private, since who registers a name for others' networks is elsewhere. A name
 * without a dot is not looked up: any neighbour can answer for it (LLMNR, RFC 4795).
 */
export async function discoverScript(world: DiscoveryWorld): Promise<DiscoveredScript | undefined> {
  const { byDhcp, find = findAbsolute, files = networkFiles } = world;
  const address = (await byDhcp()) ?? ((await hasOwnEntry(files)) ? scriptAt('wpad') : undefined);
  return address === undefined ? await scriptByName(find, files) : { address };
}

async function hasOwnEntry(files: NetworkFiles): Promise<boolean> {
  const lines = (await files.hosts()).split('\n').map((line) => line.replace(/#.*/, '').trim());
  return lines.some((line) => line.split(/\s+/).slice(1).includes('wpad'));
}

async function scriptByName(
  find: (name: string) => Promise<string[]>,
  files: NetworkFiles,
): Promise<DiscoveredScript | undefined> {
  const names = searchDomains(await files.resolvConf()).map((domain) => `wpad.${domain}`);
  const found = names.map((name) =>
    withTimeout(
      find(name).catch(() => []),
      lookUpLimitMs,
      [],
    ),
  );
  for (const [index, name] of names.entries()) {
    const at = (await found[index]) ?? [];
    if (at.length > 0 && at.every((address) => isPrivate(address))) return { address: scriptAt(name), at };
  }
  return undefined;
}

/** Of which the last line counts. */
function searchDomains(resolvConf: string): string[] {
  const lines = [...resolvConf.matchAll(/^[ \t]*(?:search|domain)[ \t]+(.*)$/gm)];
  const domains = (lines.at(-1)?.[1] ?? '').trim().toLowerCase().split(/\s+/);
  return [...new Set(domains.map((domain) => domain.replace(/\.$/, '')))]
    .filter((domain) => /^[\w-]+(?:\.[\w-]+)+$/.test(domain) && isIP(domain) === 0)
    .slice(0, maxDomains);
}

const scriptAt = (host: string) => `http://${host}/wpad.dat`;

const privateAddresses = blockListOf(privateNetworks);

const isPrivate = (address: string) => privateAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** With its dot, no search domain is put behind it. */
const findAbsolute = async (name: string) => await findAddresses(`${name}.`);
