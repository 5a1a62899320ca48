import { readFile } from 'node:fs/promises';
import { addresses, ports } from '../network/addresses.ts';
import type { GatewayIdentity, GatewaySettings } from './gateway.ts';

/** ocserv(8), "Configuration file format". */
export function laboratoryConf(settings: GatewaySettings, identity: GatewayIdentity): string[] {
  return [
    ...addressOptions(settings, identity),
    'run-as-user = nobody',
    'run-as-group = nogroup',
    'isolate-workers = true',
    'use-occtl = false',
    ...(settings.ipv6 ? [`ipv6-network = ${settings.pool.ipv6}`, 'ipv6-subnet-prefix = 128'] : []),
    ...resolverOptions(settings),
    'default-domain = waymaker.test',
    'tunnel-all-dns = true',
    `dpd = ${settings.dpdSeconds}`,
    `mobile-dpd = ${settings.dpdSeconds}`,
    'keepalive = 300',
    `cookie-timeout = ${settings.cookieSeconds}`,
    'deny-roaming = false',
    'max-clients = 64',
    'max-same-clients = 0',
    // Without the rate limit and bans of a public gateway: tests sign in often, and wrongly on purpose.
    'rate-limit-ms = 0',
    'max-ban-score = 0',
    'server-stats-reset-time = 604800',
    'tls-priorities = "NORMAL:%SERVER_PRECEDENCE:%COMPAT:-VERS-SSL3.0:-VERS-TLS1.0:-VERS-TLS1.1"',
    'cisco-client-compat = true',
    'dtls-legacy = true',
    'predictable-ips = true',
    'ping-leases = false',
    'compression = false',
    ...(settings.mtu === undefined ? [] : [`mtu = ${settings.mtu}`]),
    ...(settings.groups ?? []).map((group) => `select-group = ${group}`),
    ...rekeyOptions(settings),
    ...(settings.options ?? []),
  ];
}

function rekeyOptions({ rekey }: GatewaySettings): string[] {
  return rekey ? [`rekey-time = ${rekey.seconds}`, `rekey-method = ${rekey.method}`] : [];
}

/** The configuration file of Debian's package, from which most gateways on Debian start. */
const installedFile = '/etc/ocserv/ocserv.conf';

/** What the laboratory always sets itself: users, keys, and the places of files. */
const setByGateway = ['auth', 'pid-file'];

/**
 * Debian's ocserv.conf with the laboratory's addresses and directory; everything else, such as its client limits, its
 * dead peer detection and its TLS priorities, is as Debian ships it.
 */
export async function debianConf(
  settings: GatewaySettings,
  identity: GatewayIdentity,
  directory: string,
): Promise<string[]> {
  const replacements = [
    ...addressOptions(settings, identity),
    ...resolverOptions({ ...settings, ipv6: false }),
    ...rekeyOptions(settings),
    ...(settings.options ?? []),
    `chroot-dir = ${directory}`,
    // Relative to that directory.
    'socket-file = /socket',
    `occtl-socket-file = ${directory}/occtl`,
  ];
  const nameOf = (line: string) => line.split('=')[0]?.trim() ?? '';
  const absent = new Set([
    ...replacements.map(nameOf),
    ...setByGateway,
    ...(settings.dtls ? [] : ['udp-port']),
  ]);
  const lines = (await readFile(installedFile, 'utf8')).split('\n');
  return [...lines.filter((line) => !/^\s*(#|$)/.test(line) && !absent.has(nameOf(line))), ...replacements];
}

function addressOptions(
  { dtls, pool, udpPort = ports.gateway }: GatewaySettings,
  { name, device }: GatewayIdentity,
): string[] {
  return [
    `listen-host = ${name}`,
    `tcp-port = ${ports.gateway}`,
    ...(dtls ? [`udp-port = ${udpPort}`] : []),
    `device = ${device}`,
    `ipv4-network = ${pool.ipv4}`,
    `ipv4-netmask = ${pool.netmask}`,
  ];
}

function resolverOptions({ dns, ipv6 }: GatewaySettings): string[] {
  const { inside } = addresses;
  return (dns ?? [inside.ipv4, ...(ipv6 ? [inside.ipv6] : [])]).map((resolver) => `dns = ${resolver}`);
}
