import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import type { FilterCondition } from '../calls/filtering.ts';
import { type Family, identified, inTunnel, ofFamily, protocol, remotePorts, tcp } from './conditions.ts';
import { engineRules } from './exemption-rules.ts';
import { blocked, type FilterSurroundings, type Rule, tunnelPermit } from './rule.ts';
import { weights } from './weights.ts';

/**
 * The proxy's port is for those who asked for it, and nobody else may answer there, even if the proxy is gone. The
 * proxy opens no connection within the machine.
 */
export function proxyRules(family: Family, rules: FilterRules, surroundings: FilterSurroundings): Rule[] {
  const { proxy, tunnel } = surroundings;
  const { proxyPort, owner, tunnelAddresses } = rules;
  const loopback: FilterCondition = { field: 'loopback' };
  const itself = identified(proxy);
  const now = { family, lifetime: 'now' } as const;
  const toPort = [loopback, protocol(tcp), ...remotePorts([proxyPort ?? 0])];
  const atPort: FilterCondition[] = [loopback, protocol(tcp), { field: 'local-port', port: proxyPort ?? 0 }];
  const port: Rule[] =
    proxyPort === undefined
      ? []
      : [
          ...(isSid(owner)
            ? [
                {
                  ...now,
                  name: 'the owner at the proxy',
                  ways: ['connect'] as const,
                  action: 'permit' as const,
                  weight: weights.throughTunnel,
                  conditions: [...toPort, { field: 'user' as const, sid: owner }],
                },
              ]
            : []),
          {
            ...now,
            name: 'the proxy at its port',
            ways: ['accept'],
            action: 'permit',
            weight: weights.throughTunnel,
            conditions: [...atPort, ...itself],
          },
          {
            ...blocked('others at the proxy', family, weights.elsewhereInTunnel, toPort),
            ...now,
            ways: ['connect'],
          },
          {
            ...blocked("others at the proxy's port", family, weights.elsewhereInTunnel, atPort),
            ...now,
            ways: ['accept'],
          },
        ];
  return [
    ...port,
    // It may be the same program.
    ...engineRules(family, rules, surroundings),
    {
      ...blocked('the proxy within the machine', family, weights.resolvers, [
        loopback,
        protocol(tcp),
        ...itself,
      ]),
      ways: ['connect'],
    },
    ...(tunnel === undefined
      ? []
      : [
          ...ofFamily(tunnelAddresses, family).map((address): Rule => {
            const through = tunnelPermit(family, tunnel, address);
            return {
              ...through,
              weight: weights.ownPrograms,
              conditions: [...through.conditions, ...itself],
            };
          }),
          // Everybody else goes out as before, and nowhere if that is not possible.
          { ...blocked('others in the tunnel', family, weights.nameServices, [inTunnel(tunnel)]), ...now },
        ]),
    {
      family,
      name: 'the proxy at its clients',
      ways: ['accept'],
      action: 'permit',
      weight: weights.link,
      conditions: [loopback, ...itself],
      lifetime: 'from-start-on',
    },
    blocked('the proxy outside the tunnel', family, weights.rest, itself),
  ];
}

const isSid = (user: string | undefined): user is string => user !== undefined && /^S-1-[\d-]+$/.test(user);
