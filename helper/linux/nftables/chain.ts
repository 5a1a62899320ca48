import { isIPv6 } from 'node:net';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';

/** What the chains are written from: the rules, and what they mean in this machine. */
export type Filter = Omit<FilterRules, 'captures' | 'owner'> & {
  portal?: PortalRules | undefined;
  localNetworks: readonly string[];
  engineUid: number | undefined;
  proxyUid: number | undefined;
  /** The mark of the owner's group of programs; the second one if its packets may go past the tunnel. */
  mark: number | undefined;
  exceptedMark: number | undefined;
  /** Networks that the group may reach although it is captured. */
  groupNetworks: readonly string[];
  /** Users that may use the proxy. */
  clientUids: readonly string[];
  forwarding: boolean;
};

export const nftFamilyOf = (address: string) => (isIPv6(address) ? 'ip6' : 'ip');

export const isUid = (user: string | undefined): user is string => user !== undefined && /^\d+$/.test(user);

export const subchain = (name: string, rules: readonly string[]) => [
  `  chain ${name} {`,
  ...rules.map((rule) => `    ${rule}`),
  '  }',
];

export function chain(name: string, hook: string, policy: string, rules: string[]): string[] {
  return [
    `  chain ${name} {`,
    `    type ${hook}; policy ${policy};`,
    ...rules.map((rule) => `    ${rule}`),
    '  }',
  ];
}
