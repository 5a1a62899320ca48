import { readFile, stat } from 'node:fs/promises';
import type { Machine } from './machine.ts';
import { eventually } from '../runs/process.ts';

/** Kernel parameters that a VPN client may change, per interface of the machine itself: files of /proc/sys/net. */
const kernelParameters = [
  'ipv4/ip_forward',
  ...['all', 'default', 'uplink'].flatMap((device) => [
    ...['rp_filter', 'src_valid_mark', 'route_localnet'].map((name) => `ipv4/conf/${device}/${name}`),
    ...['disable_ipv6', 'accept_ra'].map((name) => `ipv6/conf/${device}/${name}`),
  ]),
];

/**
 * In one shell with as few processes as there can be, since one costs more than what it tells: with a here-document, no
 * other shell writes what ip(8) reads.
 */
const scriptOf = ({
  first = [],
  parameters = `exec grep "" ${kernelParameters.join(' ')}`,
}: SnapshotOptions) =>
  [
    'set -e',
    'echo "# links, addresses, nexthops, routes and rules of IPv4"',
    ...ipLines('-details -oneline', [...first, 'link', 'address', 'nexthop', 'route show table all', 'rule']),
    'echo "# routes and rules of IPv6"',
    ...ipLines('-6', [...first, 'route show table all', 'rule']),
    'echo "# nftables"',
    'nft --stateless list ruleset',
    'echo "# kernel parameters"',
    `cd /proc/sys/net; ${parameters}`,
  ].join('\n');

/** Commands of ip(8), in a shell's script. */
const ipLines = (options: string, lines: readonly string[]): string[] => [
  `ip ${options} -batch - <<END`,
  ...lines,
  'END',
];

export interface SnapshotOptions {
  /** Commands of ip(8) that come first, for each IP version. */
  first?: readonly string[];
  /** What prints the kernel parameters, in /proc/sys/net. */
  parameters?: string;
}

/**
 * The machine's network as text: links, addresses, routes of all tables, nexthops, rules, nftables, kernel parameters,
 * and resolv.conf with its mode, owner and content. The same network gives the same text: without counters, lifetimes
 * and handles, and after no IPv6 address is tentative any more.
 */
export async function takeSnapshot(machine: Machine, options: SnapshotOptions = {}): Promise<string> {
  const script = scriptOf(options);
  const text = await eventually('no address is tentative', async () => {
    const found = await machine.run(['sh', '-c', script]);
    return / tentative\b/.test(found) ? undefined : comparable(found);
  });
  const { mode, uid, gid } = await stat(machine.resolvConf);
  const resolvConf = await readFile(machine.resolvConf, 'latin1');
  return `${text}\n# resolv.conf ${mode.toString(8)} ${uid}:${gid}\n${resolvConf}`;
}

/** Without clocks, and without who made a rule: one that somebody flushed and made again is the same. */
function comparable(text: string): string {
  return text
    .replace(/^Nothing to flush\.\n/gm, '')
    .replace(/^(\d+:\t.*) proto \w+/gm, '$1')
    .replace(/\\? +valid_lft \S+ preferred_lft \S+/g, '')
    .replace(/ expires -?\d+sec/g, '')
    .replace(/ \w+_timer +\S+/g, '');
}
