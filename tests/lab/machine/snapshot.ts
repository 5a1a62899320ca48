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

/** In one shell with as few programs as there can be, since starting a program costs more than what it tells. */
const scriptOf = ({
  before = 'true',
  parameters = `grep "" ${kernelParameters.join(' ')}`,
}: SnapshotOptions) =>
  [
    'set -e',
    before,
    'echo "# links, addresses, nexthops"',
    String.raw`printf "link\naddress\nnexthop\n" | ip -details -oneline -batch -`,
    ...[4, 6].flatMap((version) => [
      `echo "# routes and rules of IPv${version}"`,
      String.raw`printf "route show table all\nrule\n" | ip -${version} -batch -`,
    ]),
    'echo "# nftables"',
    'nft --stateless list ruleset',
    'echo "# kernel parameters"',
    `cd /proc/sys/net; ${parameters}`,
  ].join('\n');

export interface SnapshotOptions {
  /** What the shell does first; `true` if absent. */
  before?: string;
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
    return / tentative\b/.test(found) ? undefined : withoutClocks(found);
  });
  const { mode, uid, gid } = await stat(machine.resolvConf);
  const resolvConf = await readFile(machine.resolvConf, 'latin1');
  return `${text}\n# resolv.conf ${mode.toString(8)} ${uid}:${gid}\n${resolvConf}`;
}

function withoutClocks(text: string): string {
  return text
    .replace(/\\? +valid_lft \S+ preferred_lft \S+/g, '')
    .replace(/ expires -?\d+sec/g, '')
    .replace(/ \w+_timer +\S+/g, '');
}
