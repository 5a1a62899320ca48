import type { NetworkInterface } from '../../../../helper/macos/calls/interface-calls.ts';
import type { Route } from '../../../../helper/macos/calls/route-message.ts';
import type { Anchor } from './filter-language.ts';

/** A connection that the packet filter knows. */
export interface FilterState {
  source: string;
  destination: string;
  /** Whose: it stands for the ports, which differ from program to program. */
  user: number | undefined;
  /** Undefined: on every device. */
  device: string | undefined;
}

/** What a Mac has. */
export interface Machine {
  interfaces: Map<number, NetworkInterface>;
  routes: Route[];
  isFilterOn: boolean;
  tokens: Set<string>;
  mainRules: string[];
  anchors: Map<string, Anchor>;
  states: FilterState[];
  store: Map<string, string>;
}

export const wifi = { index: 4, name: 'en0', address: '192.168.1.7', router: '192.168.1.1' } as const;
export const wifi6 = { address: '2001:db8:1::7', router: 'fe80::1' } as const;

/** By which Apple's rules ask the anchors of others. */
export const anchorRule = 'anchor "com.apple/*" all';

export const plainInterface = (index: number, name: string, addresses: string[], isLoopback = false) => ({
  index,
  name,
  isUp: true,
  isLoopback,
  mtu: isLoopback ? 16_384 : 1_500,
  addresses,
  received: { bytes: 0, packets: 0, multicast: 0 },
  sent: { bytes: 0 },
});

const route = (prefix: string, way: Route['way'], index: number, scope?: number): Route => ({
  prefix,
  way,
  scope,
  isOurs: false,
  interface: index,
});

export const services = {
  state: 'State:/Network/Service/WIFI-1/DNS',
  setup: 'Setup:/Network/Service/WIFI-1/DNS',
  other: 'State:/Network/Service/ETHERNET-2/DNS',
} as const;

/** As configd has it of a service. */
export const resolversXml = (servers: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n\t<key>ServerAddresses</key>\n\t<array>\n${servers
    .map((server) => `\t\t<string>${server}</string>\n`)
    .join('')}\t</array>\n</dict>\n</plist>\n`;

const primaryXml = (service: string) =>
  `<plist version="1.0"><dict><key>PrimaryService</key><string>${service}</string></dict></plist>`;

export function newMachine(): Machine {
  const direct = (index: number): Route['way'] => ({ kind: 'interface', index });
  return {
    interfaces: new Map([
      [1, plainInterface(1, 'lo0', ['127.0.0.1/8', '::1/128'], true)],
      [
        wifi.index,
        plainInterface(wifi.index, wifi.name, [`${wifi.address}/24`, `${wifi6.address}/64`, 'fe80::7/64']),
      ],
    ]),
    routes: [
      route('127.0.0.0/8', direct(1), 1),
      route('::1/128', direct(1), 1),
      route('192.168.1.0/24', direct(wifi.index), wifi.index),
      route('0.0.0.0/0', { kind: 'router', address: wifi.router }, wifi.index),
      route('0.0.0.0/0', { kind: 'router', address: wifi.router }, wifi.index, wifi.index),
      route('2001:db8:1::/64', direct(wifi.index), wifi.index),
      route('fe80::/64', direct(wifi.index), wifi.index),
      route('::/0', { kind: 'router', address: wifi6.router }, wifi.index),
      route('::/0', { kind: 'router', address: wifi6.router }, wifi.index, wifi.index),
    ],
    isFilterOn: false,
    tokens: new Set(),
    mainRules: ['scrub-anchor "com.apple/*" all fragment reassemble', anchorRule],
    anchors: new Map(),
    states: [],
    store: new Map([
      ['State:/Network/Global/IPv4', primaryXml('WIFI-1')],
      [services.state, resolversXml(['192.168.1.1'])],
      [services.setup, resolversXml(['198.51.100.53', '198.51.100.54'])],
      [services.other, resolversXml(['10.9.9.9'])],
    ]),
  };
}
