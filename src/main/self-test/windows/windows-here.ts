import { networkInterfaces } from 'node:os';
import { isIPv6 } from 'node:net';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { internetSettings, scriptAddress } from '#node/os/windows/internet-settings.ts';
import { makePrivateDirectory } from '#node/os/windows/private-directory.ts';
import { askProgram, steadyLines, toldBy } from '../portable/ask-program.ts';
import { deviceWith, ownAddresses } from '../portable/own-addresses.ts';
import { portableProbes } from '../portable/portable-probes.ts';
import type { SelfTestHere } from '../self-test.ts';
import type { IpVersion } from '../verdict.ts';
import { defaultRoute, ipv6Devices } from './default-route.ts';
import { watchRaw } from './raw-watch.ts';
import { openRawCapture } from './sockets.ts';
import { steadyAddresses } from './steady-addresses.ts';

/** The helper's, too. */
const parentFolder = path.win32.join(process.env['ProgramData'] ?? 'C:\\ProgramData', 'Waymaker');
const systemRoot = process.env['SystemRoot'] ?? 'C:\\Windows';
/** Not as the PATH has them: this runs with administrators' rights. */
const program = (name: string) => path.win32.join(systemRoot, 'System32', name);
const powershell = program('WindowsPowerShell\\v1.0\\powershell.exe');
const askPowershell = (script: string) =>
  toldBy(powershell, ['-NoProfile', '-NonInteractive', '-Command', script]);

/** What ends with administrators' rights only, and changes nothing. */
const isAdministrator = (): boolean => {
  try {
    askProgram(program('net.exe'), ['session']);
    return true;
  } catch {
    return false;
  }
};

/** A self-test on this computer's own network, on Windows. */
export const windowsHere: SelfTestHere = {
  lack: () => (isAdministrator() ? undefined : { kind: 'not-administrator' }),
  folder: path.win32.join(parentFolder, 'self-test'),
  keepOthersOut: () => makePrivateDirectory(parentFolder),
  helperSocket: () => String.raw`\\.\pipe\ProtectedPrefix\Administrators\Waymaker\self-test`,
  helperArguments: (engine) => ['--engine', engine],
  engines: () => ['own'],
  environment: [
    'SystemRoot',
    'SystemDrive',
    'windir',
    'ProgramData',
    'ProgramFiles',
    'APPDATA',
    'LOCALAPPDATA',
    'USERPROFILE',
    'TEMP',
    'TMP',
  ],
  uplinkTo(peer) {
    const main = defaultRoute(toldBy(program('route.exe'), ['print', '-4', '0.0.0.0']));
    const own = deviceWith(peer) === undefined ? main?.address : peer;
    const device = own === undefined ? undefined : deviceWith(own);
    if (own === undefined || device === undefined) throw new Error('there is no default route');
    const { ipv6, hardware, number } = ownAddresses(device);
    const withRoute = ipv6Devices(toldBy(program('route.exe'), ['print', '-6']));
    return {
      device,
      address: own,
      hardware,
      router: main?.router,
      hasIpv6: true,
      // An address alone is no way out: one of a network of its own, for example, has no router.
      hasIpv6Outside: ipv6 !== undefined && number !== undefined && withRoute.includes(number),
    };
  },
  computer({ device }) {
    const { ipv4, ipv6 } = ownAddresses(device);
    return {
      ...portableProbes({
        addresses: { ipv4, ipv6 },
        ping: (host, source) => [
          program('ping.exe'),
          ['-n', '1', '-w', '1000', ...(source === undefined ? [] : ['-S', source]), host],
        ],
      }),
      changeRoutes(action, routes) {
        for (const { prefix, via } of routes) {
          const [network = '', bits = '32'] = prefix.split('/');
          const mask = ipaddr.IPv4.subnetMaskFromPrefixLength(Number(bits)).toString();
          askProgram(program('route.exe'), [action, network, 'mask', mask, via]);
        }
      },
      changeAddresses(action, addresses) {
        for (const address of addresses)
          askProgram(program('netsh.exe'), [
            'interface',
            isIPv6(address) ? 'ipv6' : 'ipv4',
            action,
            'address',
            device,
            isIPv6(address) ? `${address}/128` : address,
            ...(action === 'add' && !isIPv6(address) ? ['255.255.255.255'] : []),
          ]);
      },
      snapshot: () => ({
        routes: steadyLines(toldBy(program('route.exe'), ['print']), /^[=\d]*\.\.\./),
        addresses: netshShows('ipv4', 'addresses'),
        'IPv6 addresses': steadyAddresses(netshShows('ipv6', 'addresses')),
        resolvers: netshShows('ipv4', 'dnsservers'),
        'IPv6 resolvers': netshShows('ipv6', 'dnsservers'),
        'rules for names': registryShows(localRules, '/s'),
        'policies for names': registryShows(policyRules, '/s'),
        'proxy settings': proxySettings
          .map((name) => registryShows(`HKCU\\${internetSettings}`, '/v', name))
          .join('\n'),
      }),
      engineProcesses: () =>
        askPowershell(
          "Get-CimInstance Win32_Process -Filter \"Name='node.exe'\" | Where-Object CommandLine -match '[\\\\/]engine\\.mjs' | ForEach-Object ProcessId",
        )
          .split('\n')
          .map(Number)
          .filter((pid) => pid > 0),
    };
  },
  openWatch: ({ address }) => watchRaw(openRawCapture(address), allOwn),
  // Windows lets no program send or see whole frames without a driver.
  openPacketSocket() {
    throw new Error('Windows has no sockets for frames');
  },
  tidy: () => Promise.resolve(),
};

/** Where the Name Resolution Policy Table has its rules: this computer's own, and those of its policies. */
const localRules = String.raw`HKLM\SYSTEM\CurrentControlSet\Services\Dnscache\Parameters\DnsPolicyConfig`;
const policyRules = String.raw`HKLM\SOFTWARE\Policies\Microsoft\Windows NT\DNSClient\DnsPolicyConfig`;

/** Of the user whose core runs in a self-test. What else is in that key changes by itself. */
const proxySettings = [scriptAddress, 'ProxyEnable', 'ProxyServer', 'ProxyOverride'];

const netshShows = (version: IpVersion, what: 'addresses' | 'dnsservers'): string =>
  steadyLines(toldBy(program('netsh.exe'), ['interface', version, 'show', what]), /^$/);

/** A key that is not there is told of, too. */
const registryShows = (key: string, ...more: readonly string[]): string =>
  steadyLines(toldBy(program('reg.exe'), ['query', key, ...more]), /^$/);

const allOwn = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)));
