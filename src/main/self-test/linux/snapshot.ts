import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What a tunnel changes of a computer, by name, as the system's own programs tell it. */
export type Snapshot = Readonly<Record<string, string>>;

const commands = {
  links: 'ip -oneline link',
  addresses: 'ip -oneline address',
  rules: 'ip rule',
  'IPv6 rules': 'ip -6 rule',
  routes: 'ip route show table all',
  'IPv6 routes': 'ip -6 route show table all',
  nexthops: 'ip nexthop',
  'packet filter': 'nft list ruleset',
} as const;

const filesOf = (uplink: string) => [
  '/etc/resolv.conf',
  '/proc/sys/net/ipv4/ip_forward',
  ...['all', 'default', uplink].flatMap((name) =>
    ['rp_filter', 'src_valid_mark', 'route_localnet'].map(
      (setting) => `/proc/sys/net/ipv4/conf/${name}/${setting}`,
    ),
  ),
];

/** `uplink`: a device of which some settings are looked at, too. */
export function takeSnapshot(uplink: string): Snapshot {
  const told = Object.entries(commands).map(([name, command]) => {
    const [program = '', ...args] = command.split(' ');
    const { stdout, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    return [name, error ? `${error.message} ${stderr}` : withoutAges(stdout)];
  });
  const read = filesOf(uplink).map((file) => [
    file,
    existsSync(file) ? readFileSync(file, 'utf8') : '(absent)',
  ]);
  return Object.fromEntries([...told, ...read]) as Snapshot;
}

/** What changes by itself. */
const withoutAges = (text: string) =>
  text
    .replaceAll(/ (?:expires|age|valid_lft|preferred_lft) \d+\w*/g, '')
    .replaceAll(/ packets \d+ bytes \d+/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .toSorted()
    .join('\n');
