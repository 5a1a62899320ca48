import type { Dns } from '../../system/ports/dns-port.ts';
import type { Guid } from '#node/os/windows/guid.ts';
import type { RegistryValue } from '../calls/registry.ts';
import { nameRule, tunnelAdapter } from '../identifiers.ts';

/** A value that a key has to have. */
export interface Setting {
  key: string;
  name: string;
  value: RegistryValue;
}

const services = 'SYSTEM\\CurrentControlSet\\Services';

/** Where the Name Resolution Policy Table has its rules: this machine's own, and those of its policies. */
export const localRules = `${services}\\Dnscache\\Parameters\\DnsPolicyConfig`;
export const policyRules = 'SOFTWARE\\Policies\\Microsoft\\Windows NT\\DNSClient\\DnsPolicyConfig';

/**
 * The rule says which resolvers to ask, and nothing else (MS-GPNRPT §2.2.2). Not DNSSEC, which many lack (OpenVPN
 * 1024).
 */
const genericResolvers = 8;
const ruleVersion = 2;

/** NetBIOS over TCP is off (Microsoft, “NetbiosOptions”). */
const netbiosOff = 2;

const addressKey = (family: 4 | 6, guid: Guid) =>
  `${services}\\${family === 4 ? 'Tcpip' : 'Tcpip6'}\\Parameters\\Interfaces\\{${guid}}`;
const netbiosKey = (guid: Guid) => `${services}\\NetBT\\Parameters\\Interfaces\\Tcpip_{${guid}}`;

/** The keys of an interface, with the names of what we set there. */
export const interfaceKeys = (guid: Guid) => [
  ...([4, 6] as const).map((family) => ({
    key: addressKey(family, guid),
    names: ['NameServer', 'SearchList', 'RegistrationEnabled', 'EnableMulticast'],
  })),
  { key: netbiosKey(guid), names: ['NetbiosOptions'] },
];

/** What has to be there, in the order in which it is written. */
export function settingsOf({ servers, searchDomains }: Dns, rules: readonly string[]): Setting[] {
  const text = (value: string): RegistryValue => ({ kind: 'text', text: value });
  const number = (value: number): RegistryValue => ({ kind: 'number', number: value });
  const interfaces = ([4, 6] as const).flatMap((family): Setting[] => {
    const key = addressKey(family, tunnelAdapter);
    const own = servers.filter((server) => server.includes(':') === (family === 6));
    return [
      // Nobody is told the tunnel's address, and nobody in the tunnel is asked by multicast (LLMNR).
      { key, name: 'RegistrationEnabled', value: number(0) },
      { key, name: 'EnableMulticast', value: number(0) },
      { key, name: 'SearchList', value: text(searchDomains.join(',')) },
      { key, name: 'NameServer', value: text(own.join(',')) },
    ];
  });
  return [
    ...interfaces,
    { key: netbiosKey(tunnelAdapter), name: 'NetbiosOptions', value: number(netbiosOff) },
    ...rules.flatMap((parent): Setting[] => {
      const key = `${parent}\\${nameRule}`;
      return [
        { key, name: 'Version', value: number(ruleVersion) },
        { key, name: 'ConfigOptions', value: number(genericResolvers) },
        { key, name: 'GenericDNSServers', value: text(servers.join(';')) },
        // Last: a rule without names is none.
        { key, name: 'Name', value: { kind: 'texts', texts: ['.'] } },
      ];
    }),
  ];
}

/** Changes of these concern the settings. The key of policies may come and go with the one that it is in. */
export const watchedKeys = (guid: Guid) => [
  localRules,
  'SOFTWARE\\Policies\\Microsoft',
  ...interfaceKeys(guid).map(({ key }) => key),
];
