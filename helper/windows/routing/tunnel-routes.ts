import { localNetworksOf } from '../../modes/local-exceptions.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import type { RoutingRules } from '../../system/ports/router-port.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import { capturedRanges, prefixesOf } from '../address-ranges.ts';

type Family = 4 | 6;

/** A prefix that leads into the tunnel, and its metric without the interface's. */
export interface TunnelPrefix {
  prefix: string;
  metric: number;
}

const whole = { 4: '0.0.0.0/0', 6: '::/0' } as const;

/** A default route in two halves wins over everybody's whole one, whatever the metrics are. */
const halves = { 4: ['0.0.0.0/1', '128.0.0.0/1'], 6: ['::/1', '8000::/1'] } as const;

/**
 * For sockets that have the tunnel's address: Windows looks only at the routes of an address's own interface (RFC 1122
 * §3.3.4.2, strong host model), and for all other sockets the uplink's default is cheaper.
 */
const lastResortMetric = 9_999;

/** What has to lead into the tunnel, for one IP version of which it has an address. */
export function tunnelPrefixes(rules: RoutingRules, family: Family): TunnelPrefix[] {
  const { capture } = rules;
  const resolvers = rules.resolvers
    .filter((address) => address.includes(':') === (family === 6))
    .map((address) => `${address}/${family === 4 ? 32 : 128}`);
  const all = [...new Set([...capturedPrefixes(capture, rules, family), ...resolvers])];
  const metric = capture.kind === 'proxy' ? lastResortMetric : 0;
  return [...all.map((prefix) => ({ prefix, metric })), ...defaultRoutes(capture, family)];
}

/**
 * Windows looks for the internet on interfaces with a default route, and Office, the Store and others believe what it
 * has found: with halves alone, they are offline (eduVPN 136, mullvadvpn-app 589).
 */
function defaultRoutes(capture: Capture, family: Family): TunnelPrefix[] {
  const prefix = whole[family];
  if (capture.kind === 'everything') return [{ prefix, metric: 0 }];
  const isAllBut = capture.kind === 'prefixes' && capture.include.of[family].lengths.includes(0);
  // What is excepted is led by the uplink's.
  return isAllBut ? [{ prefix, metric: lastResortMetric }] : [];
}

function capturedPrefixes(capture: Capture, { networks }: RoutingRules, family: Family): readonly string[] {
  switch (capture.kind) {
    case 'everything':
      return halves[family];
    case 'proxy':
      return [whole[family]];
    case 'prefixes':
      // A prefix of the list may be longer than the local network that it lies in.
      return prefixesOf(
        capturedRanges(capture, family, localNetworksOf(networks, [capture])),
        family,
      ).flatMap((prefix) => (prefix.endsWith('/0') ? halves[family] : [prefix]));
    case 'group':
      throw new SystemChangeFailed('programs cannot be routed separately here');
    default:
      return capture satisfies never;
  }
}
