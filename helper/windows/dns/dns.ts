import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { Dns, DnsPort } from '../../system/ports/dns-port.ts';
import type { IpHelper, Luid } from '../calls/ip-helper.ts';
import type { Registry, RegistryValue } from '../calls/registry.ts';
import type { ResolverClient } from '../calls/resolver-client.ts';
import { nameRule, tunnelAdapter } from '../identifiers.ts';
import { windowsDnsUndo, type WindowsDnsUndo } from './dns-undo-schema.ts';
import {
  interfaceKeys,
  localRules,
  policyRules,
  settingsOf,
  watchedKeys,
  type Setting,
} from './registry-settings.ts';
import { createSearchLists } from './search-lists.ts';

/** fec0:0:0:ffff::1 and its neighbours, of a draft that has been given up (RFC 3879). */
const noResolvers = 'fec0::/10';

/** It is the same object every time: one that differs would be written to the journal again. */
const undo: WindowsDnsUndo = { kind: 'name-rule' };

/**
 * A rule for all names (NRPT), which comes before what the interfaces have, and the resolvers of the tunnel's interface
 * for programs that read these. Rules outlast a crash and a reboot, and so do search domains in a list of the
 * machine's.
 */
export function createWindowsDns(parts: {
  registry: Registry;
  resolverClient: ResolverClient;
  ipHelper: Pick<IpHelper, 'resolvers'>;
  /** The tunnel's interface, if there is one. */
  tunnel: () => Luid | undefined;
}): DnsPort {
  const { registry, resolverClient, ipHelper, tunnel } = parts;
  const searchLists = createSearchLists(registry);
  let wanted: Dns | undefined;
  let isRemembered = false;

  /** If the key of policies exists, even an empty one, the system ignores all local rules (firezone 6469). */
  const hasPolicies = () => registry.keys(policyRules) !== undefined;
  const rules = () => [localRules, ...(hasPolicies() ? [policyRules] : [])];
  const settings = (dns: Dns) => settingsOf(dns, rules());

  const isThere = ({ key, name, value }: Setting) => isSame(registry.value(key, name), value);

  function makeKnown(hasPolicyChanged: boolean): void {
    if (hasPolicyChanged) resolverClient.refreshPolicies();
    resolverClient.readSettings();
    // Answers of before came from other resolvers.
    resolverClient.flush();
  }

  /** Without those that Windows gives every interface of IPv6 that has been told none, and that nobody answers at. */
  const others = () =>
    ipHelper
      .resolvers()
      .filter(({ luid, address }) => luid !== tunnel() && !isInsidePrefix(address, noResolvers))
      .map(({ address }) => address);

  async function clear(): Promise<void> {
    registry.deleteKey(`${policyRules}\\${nameRule}`);
    registry.deleteKey(`${localRules}\\${nameRule}`);
    for (const { key, names } of interfaceKeys(tunnelAdapter))
      for (const name of names) registry.deleteValue(key, name);
    searchLists.set([]);
    // Also if nothing was left to delete: whoever has deleted it may have ended before this.
    makeKnown(hasPolicies());
  }

  return {
    undoSchema: windowsDnsUndo,
    async prepare() {
      isRemembered = true;
      wanted = undefined;
      return undo;
    },
    // Nothing of others is replaced, and what is added to theirs is noted down beside it.
    prepareAgain: () => Promise.resolve(undo),
    isSettable: () => true,
    originalServers: async () => [...new Set(others())],
    // Programs that read the interfaces' settings ask these, whatever the rule says.
    rivalServers: async () => [...new Set(others())].sort(),
    async set(dns) {
      wanted = dns;
      const missing = settings(dns).filter((setting) => !isThere(setting));
      for (const { key, name, value } of missing) registry.setValue(key, name, value);
      const hasList = searchLists.set(dns.searchDomains);
      if (missing.length > 0 || hasList) makeKnown(missing.some(({ key }) => key.startsWith(policyRules)));
    },
    async verify() {
      if (!wanted) return 'in-force';
      const isInForce = settings(wanted).every(isThere) && searchLists.isInForce(wanted.searchDomains);
      return isInForce ? 'in-force' : 'changed';
    },
    watch: (onChange) => registry.watch(watchedKeys(tunnelAdapter), onChange),
    async clear() {
      if (!isRemembered) return;
      await clear();
      isRemembered = false;
      wanted = undefined;
    },
    async leftOver(known) {
      if (known.length > 0) return [];
      const isLeft = [localRules, policyRules].some(
        (key) => registry.keys(`${key}\\${nameRule}`) !== undefined,
      );
      return isLeft || searchLists.isLeft() ? [undo] : [];
    },
    async undo(how) {
      windowsDnsUndo.parse(how);
      await clear();
    },
  };
}

function isSame(found: RegistryValue | undefined, value: RegistryValue): boolean {
  return found !== undefined && JSON.stringify(found) === JSON.stringify(value);
}
