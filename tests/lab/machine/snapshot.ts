import { readFile, stat } from 'node:fs/promises';
import type { Machine } from './machine.ts';
import { eventually } from '../runs/process.ts';

/** Kernel parameters that a VPN client may change, per interface of the machine itself. */
const kernelParameters = [
  'net.ipv4.ip_forward',
  ...['all', 'default', 'uplink'].flatMap((device) => [
    `net.ipv4.conf.${device}.rp_filter`,
    `net.ipv4.conf.${device}.src_valid_mark`,
    `net.ipv4.conf.${device}.route_localnet`,
    `net.ipv6.conf.${device}.disable_ipv6`,
    `net.ipv6.conf.${device}.accept_ra`,
  ]),
];

const parts = [
  ['ip', '-details', '-oneline', 'link'],
  ['ip', '-oneline', 'address'],
  ['ip', '-4', 'route', 'show', 'table', 'all'],
  ['ip', '-6', 'route', 'show', 'table', 'all'],
  ['ip', 'nexthop'],
  ['ip', '-4', 'rule'],
  ['ip', '-6', 'rule'],
  ['nft', '--stateless', 'list', 'ruleset'],
  ['sysctl', ...kernelParameters],
] as const;

/**
 * The machine's network as text: links, addresses, routes of all tables, nexthops, rules, nftables, kernel parameters,
 * and resolv.conf with its mode, owner and content. The same network gives the same text: without counters, lifetimes
 * and handles, and after no IPv6 address is tentative any more.
 */
export async function takeSnapshot(machine: Machine): Promise<string> {
  await eventually(
    'no address is tentative',
    async () => (await machine.run(['ip', '-6', 'address', 'show', 'tentative'])) === '' || undefined,
  );
  const texts = await Promise.all(
    parts.map(async (argv) => `# ${argv.join(' ')}\n${withoutClocks(await machine.run(argv))}`),
  );
  const { mode, uid, gid } = await stat(machine.resolvConf);
  const resolvConf = await readFile(machine.resolvConf, 'latin1');
  return `${texts.join('\n')}\n# resolv.conf ${mode.toString(8)} ${uid}:${gid}\n${resolvConf}`;
}

function withoutClocks(text: string): string {
  return text
    .replace(/\\? +valid_lft \S+ preferred_lft \S+/g, '')
    .replace(/ expires -?\d+sec/g, '')
    .replace(/ \w+_timer +\S+/g, '');
}
