import { readFile } from 'node:fs/promises';
import { isIP, isIPv6, SocketAddress } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Dns } from '../../system/ports/dns-port.ts';
import { runOrThrow, type RunCommand } from '../../posix/command.ts';
import { tunnelDevice } from '../identifiers.ts';
import { callOnBus, type BusCall } from './system-bus.ts';

/**
 * systemd-resolved: the tunnel's resolvers are settings of the tunnel's device, which it keeps over its own restarts
 * and drops with the device. Whenever the resolvers or domains of any device change, it writes a file here.
 */
export const resolvedDirectory = '/run/systemd/resolve';

/**
 * Every setting that a device has, since it inherits the owner's general one where it has none (resolved.conf(5)). "~."
 * sends all look-ups to this device's resolvers. Multicast asks neighbours, which a tunnel does not have: every name
 * with one label would wait seconds for their answer. TLS and signatures are what few VPNs' resolvers can do; the
 * tunnel itself is encrypted.
 */
export async function setResolved(dns: Dns): Promise<void> {
  const index = Number(await readFile(`/sys/class/net/${tunnelDevice}/ifindex`, 'utf8'));
  await callOnBus(settingCalls(index, dns));
}

/**
 * The calls for the device with this number. What an earlier systemd-resolved does not know, as that of RHEL 8 (239)
 * knows no default route, it does not need to be told: without it, "~." alone decides, and nothing speaks TLS.
 */
export function settingCalls(index: number, dns: Dns): BusCall[] {
  const off = (member: string) =>
    managerCall(member, 'is', (body) => {
      body.uint32(index).string('no');
    });
  return [
    managerCall('SetLinkDNS', 'ia(iay)', (body) => {
      body.uint32(index).array(dns.servers, 8, (server) => {
        body.uint32(isIPv6(server) ? AF_INET6 : AF_INET);
        body.array(ipaddr.parse(server).toByteArray(), 1, (byte) => body.byte(byte));
      });
    }),
    managerCall('SetLinkDomains', 'ia(sb)', (body) => {
      const domains = [
        { name: '.', isForRouting: true },
        ...dns.searchDomains.map((name) => ({ name, isForRouting: false })),
      ];
      body.uint32(index).array(domains, 8, ({ name, isForRouting }) => {
        body.string(name).boolean(isForRouting);
      });
    }),
    {
      ...managerCall('SetLinkDefaultRoute', 'ib', (body) => {
        body.uint32(index).boolean(true);
      }),
      isNewer: true,
    },
    ...['SetLinkLLMNR', 'SetLinkMulticastDNS', 'SetLinkDNSSEC'].map(off),
    { ...off('SetLinkDNSOverTLS'), isNewer: true },
  ];
}

/** <sys/socket.h>. */
const AF_INET = 2;
const AF_INET6 = 10;

/** org.freedesktop.resolve1(5). */
const managerCall = (member: string, signature: string, write: BusCall['write']): BusCall => ({
  destination: 'org.freedesktop.resolve1',
  path: '/org/freedesktop/resolve1',
  interface: 'org.freedesktop.resolve1.Manager',
  member,
  signature,
  write,
});

/** The same as resolvectl(1) shows it. */
export function resolvedSettings(dns: Dns): string[][] {
  return [
    ['dns', tunnelDevice, ...dns.servers],
    ['domain', tunnelDevice, '~.', ...dns.searchDomains],
    ['default-route', tunnelDevice, 'yes'],
    ['llmnr', tunnelDevice, 'no'],
    ['mdns', tunnelDevice, 'no'],
    ['dnsovertls', tunnelDevice, 'no'],
    ['dnssec', tunnelDevice, 'no'],
  ];
}

/** The resolvers of all other devices, and the global ones. */
export async function otherServersOfResolved(run: RunCommand): Promise<string[]> {
  const { status, stdout } = await run('resolvectl', ['dns']);
  if (status !== 0) return [];
  const others = settingLines(stdout).filter((line) => !line.includes(`(${tunnelDevice}):`));
  // Entries with a port, a device or a name after the address (resolved.conf(5), DNS=) have a purpose that we do not
  // know.
  return others.flatMap(settingWords).filter((word) => isIP(word) !== 0 && !word.includes('%'));
}

/** The resolvers that it asks for all names besides the tunnel's: those of devices that claim all names, too. */
export async function rivalServersOfResolved(run: RunCommand): Promise<string[]> {
  const [domains = [], servers = []] = await Promise.all(
    ['domain', 'dns'].map(async (setting) => {
      const { status, stdout } = await run('resolvectl', [setting]);
      return status === 0 ? settingLines(stdout) : [];
    }),
  );
  const rivals = domains
    .filter((line) => !line.includes(`(${tunnelDevice}):`) && settingWords(line).includes('~.'))
    .map(settingOwner);
  return servers
    .filter((line) => rivals.includes(settingOwner(line)))
    .flatMap(settingWords)
    .map((word) => word.replace(/[%#].*$/, '').replace(/^(?:\[(.+)\]|([\d.]+)):\d+$/, '$1$2'))
    .filter((word) => isIP(word) !== 0);
}

export async function isResolvedSet(run: RunCommand, dns: Dns): Promise<boolean> {
  const wanted = resolvedSettings(dns);
  const current = await Promise.all(
    wanted.map(async ([setting = '']) => {
      const { status, stdout, stderr } = await run('resolvectl', [setting, tunnelDevice]);
      if (status === 0) return settingWords(stdout);
      return newerSettings.includes(setting) && unknownCommand.test(stderr)
        ? ('unknown' as const)
        : undefined;
    }),
  );
  return wanted.every(([, , ...words], index) => {
    const found = current[index];
    return found === 'unknown' || sameWords(words, found);
  });
}

/** Those of `settingCalls` that an earlier one may not know, and how resolvectl(1) says so, before and since 251. */
const newerSettings = ['default-route', 'dnsovertls'];
const unknownCommand = /^Unknown (?:operation|command verb)\b/;

/** One for each device: resolvectl breaks long ones at 80 columns, and indents what follows. */
const settingLines = (stdout: string) => stdout.replace(/\n[ \t]+/g, ' ').split('\n');

/** `Link 5 (wm0): 198.51.100.65 2001:db8::65` */
const settingOwner = (line: string) => line.slice(0, line.indexOf(':'));
const settingWords = (stdout: string) =>
  stdout
    .slice(stdout.indexOf(':') + 1)
    .trim()
    .split(/\s+/);

function sameWords(wanted: readonly string[], current: readonly string[] | undefined): boolean {
  const set = (words: readonly string[]) => [...new Set(words.map(canonical))].sort().join(' ');
  return current !== undefined && set(wanted) === set(current);
}

function canonical(word: string): string {
  if (isIPv6(word)) return new SocketAddress({ address: word, family: 'ipv6' }).address;
  return word === '~.' ? word : word.toLowerCase().replace(/\.$/, '');
}

export async function clearResolved(run: RunCommand): Promise<void> {
  await runOrThrow(run, 'resolvectl', ['revert', tunnelDevice]);
}
