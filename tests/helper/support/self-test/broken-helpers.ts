import type { CheckName } from '../../../../src/main/self-test/check-names.ts';
import type { Mistake } from './broken-helper.ts';

const mistakeIn =
  (file: string) =>
  (of: string, instead: string): Mistake => ({ file, of, instead });
const inRules = mistakeIn('helper/linux/routing/router-rules.ts');
const inFilterRules = mistakeIn('helper/linux/nftables/filter-script.ts');
const inOutputRules = mistakeIn('helper/linux/nftables/everything-chains.ts');
const inFilter = mistakeIn('helper/linux/nftables/packet-filter.ts');
const inDns = mistakeIn('helper/linux/dns/dns-manager.ts');

/** It says that a filter is in force, and has none. */
const withoutFilter = [
  inFilter('await loadRules(removal + script + opening);', ''),
  inFilter(
    "if (wanted === undefined) return 'unset';",
    "return wanted === undefined ? 'unset' : 'in-force';",
  ),
];
const firstOutputRule = "    ...engineRules(filter, 'udp'),";
const tunnelRule = "        rule('tunnel', `lookup ${routingTable}`),";
const letOut = (condition: string) =>
  inOutputRules(firstOutputRule, `    '${condition} accept',\n${firstOutputRule}`);
const sendOutside = (selector: string, more = '') =>
  inRules(tunnelRule, `        rule('engine', '${selector}lookup main${more}'),\n${tunnelRule}`);

export interface BrokenHelper {
  name: string;
  engine: 'openconnect' | 'own';
  mistakes: readonly Mistake[];
  /** The checks that find them, and some that are not concerned. */
  found: readonly CheckName[];
  notConcerned: readonly CheckName[];
}

const apart = ['203.0.113.80', '203.0.113.53'];

/**
 * One that lets out what goes to a host and to a resolver of others: where nobody answers outside, all look-ups that
 * leave would end the tunnel before they are looked for.
 */
export const lettingHostsOut: BrokenHelper = {
  name: 'that lets out what goes to two hosts',
  engine: 'own',
  mistakes: [
    letOut(`ip daddr { ${apart.join(', ')} }`),
    inRules(
      tunnelRule,
      `...(family === 4 ? [${apart.map((host) => `rule('engine', 'to ${host} lookup main')`).join(', ')}] : []),\n${tunnelRule}`,
    ),
  ],
  found: ['ipv4', 'plain', 'other-resolvers'],
  notConcerned: ['tunnel', 'ipv6', 'names', 'neighbours', 'restored'],
};

/** Helpers with mistakes, so that each check is seen to fail once. */
export const brokenHelpers: readonly BrokenHelper[] = [
  {
    name: 'without its packet filter',
    engine: 'own',
    mistakes: withoutFilter,
    found: ['bound-sockets', 'neighbours', 'engine-killed', 'helper-killed'],
    notConcerned: ['tunnel', 'ipv4', 'ipv6', 'names', 'plain', 'others-routes', 'restored'],
  },
  {
    name: 'that forgets IPv6',
    engine: 'own',
    mistakes: [
      inRules(
        '  const { capture, tunnelAddresses } = rules;\n',
        '  const { capture, tunnelAddresses } = rules;\n  if (family === 6) return [];\n',
      ),
      letOut('meta nfproto ipv6'),
    ],
    found: ['ipv6', 'other-ip-version'],
    notConcerned: ['tunnel', 'ipv4', 'names', 'plain', 'restored'],
  },
  {
    name: 'that lets some packets out, and look-ups of others’ resolvers',
    engine: 'own',
    mistakes: [
      letOut('ip daddr 203.0.113.80'),
      inOutputRules(
        '    ...(filter.tunnelAddresses.length === 0 ? [stubRule] : []),',
        "    'udp dport 53 accept',",
      ),
      inRules(
        tunnelRule,
        `...(family === 4 ? [rule('engine', 'to 203.0.113.80 lookup main')] : []),
        rule('engine', 'ipproto udp dport 53 lookup main'),\n${tunnelRule}`,
      ),
    ],
    found: ['ipv4', 'plain', 'other-resolvers'],
    notConcerned: ['tunnel', 'ipv6', 'neighbours', 'restored'],
  },
  {
    name: 'that believes the routes of a hostile network, and leaves its DNS',
    engine: 'own',
    mistakes: [
      ...withoutFilter,
      sendOutside('', ' suppress_prefixlength 0'),
      mistakeIn('helper/linux/dns/resolv-conf.ts')('  if (await isLink(step.path)) return;\n', '  return;\n'),
    ],
    found: ['others-routes', 'restored'],
    notConcerned: ['tunnel', 'ipv4', 'ipv6', 'plain', 'other-ip-version'],
  },
  {
    name: 'with several small mistakes',
    engine: 'openconnect',
    mistakes: [
      // The tunnel never uses datagrams.
      mistakeIn('helper/engine/openconnect/openconnect.ts')("'--non-inter", "'--no-dtls',\n    '--non-inter"),
      // The tunnel's resolvers are not set.
      inDns('set: (dns) => writeResolvConf(step, dns),', 'set: async () => undefined,'),
      inDns(
        'isSet: async (dns) => (await isInPlace()) && isResolvConfSet(step, dns),',
        'isSet: async () => true,',
      ),
      // A neighbour gets answers.
      inFilterRules('    ...arpTable(filter),\n', ''),
      inFilterRules('      ...spoofRules(filter),\n', ''),
      inFilterRules('      ...soughtRules(filter),\n', ''),
      // The kill switch is over with the helper.
      mistakeIn('helper/system/recovery.ts')(
        'const keepBlocking = earlier.killSwitch;',
        'const keepBlocking = false;',
      ),
    ],
    found: ['tunnel', 'names', 'neighbours', 'helper-killed'],
    notConcerned: ['ipv4', 'ipv6', 'plain', 'bound-sockets', 'others-routes', 'restored'],
  },
  {
    name: 'whose modes send nothing where it belongs',
    engine: 'own',
    mistakes: [
      mistakeIn('helper/modes/local-exceptions.ts')('  return [...local, ...named];', '  return [];'),
      inRules("[rule('proxy', `uidrange ${proxyUid}-${proxyUid} lookup ${routingTable}`)]", '[]'),
      inRules("      rule('prefixes', `lookup ${prefixTable}`),\n", ''),
      inRules("    rule('group', `${marked} lookup ${routingTable}`),\n", ''),
    ],
    found: ['local-network', 'automatic', 'by-address', 'by-app'],
    notConcerned: [
      'tunnel',
      'ipv4',
      'ipv6',
      'plain',
      'bound-sockets',
      'engine-killed',
      'helper-killed',
      'restored',
    ],
  },
];
