import type { Capture } from '../../modes/routing-plan.ts';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import { addressText, capturedRanges } from '../address-ranges.ts';
import type { Filter, FilterLayer } from '../calls/filtering.ts';
import type { Guid } from '#node/os/windows/guid.ts';
import { filterProvider, sublayers } from '../identifiers.ts';
import { withKey } from './filter-key.ts';
import { proxyRules } from './proxy-rules.ts';
import { type Family, localAddress, lookUps, ofFamily, remotes } from './conditions.ts';
import { exemptions, tunnelRules, portalRules } from './exemption-rules.ts';
import { blocked, bothWays, families, type FilterSurroundings, type Rule, withinMachine } from './rule.ts';
import { weights } from './weights.ts';

const layersOf = {
  4: { connect: 'connect-4', accept: 'accept-4' },
  6: { connect: 'connect-6', accept: 'accept-6' },
} as const;
/** How many ranges a filter has at most; a list may have a hundred thousand. */
const maxRanges = 500;

/** All filters that keep these rules. Throws if this system cannot. */
export function filtersOf(rules: FilterRules, surroundings: FilterSurroundings): Filter[] {
  if (rules.captures.length >= sublayers.length) throw new SystemChangeFailed('too many captures at once');
  const [base, ...others] = sublayers;
  return [
    ...inSublayer(base, baseRules(rules, surroundings), rules),
    ...rules.captures.flatMap((capture, index) =>
      inSublayer(others[index] ?? base, captureRules(capture, rules, surroundings), rules),
    ),
  ];
}

/**
 * What lets the portal's program out, in addition, in the sublayers of what is captured. These filters have no
 * provider: they belong to a session that ends with the helper.
 */
export function portalFilters(
  portal: PortalRules,
  rules: FilterRules,
  surroundings: FilterSurroundings,
): Omit<Filter, 'key'>[] {
  const letOut = families.flatMap((family) => portalRules(family, portal, surroundings));
  return rules.captures.flatMap((_, index) =>
    letOut.flatMap((rule) => filtersOfRule(rule, sublayers[index + 1] ?? sublayers[0], 'running')),
  );
}

function captureRules(capture: Capture, rules: FilterRules, surroundings: FilterSurroundings): Rule[] {
  switch (capture.kind) {
    case 'everything':
      // Also if a group of programs is excepted: this system cannot tell its packets.
      return families.flatMap((family) => [
        ...exemptions(family, rules, surroundings, capture),
        blocked('everything else', family, weights.rest, []),
      ]);
    case 'prefixes':
      return families.flatMap((family) => prefixRules(family, capture, rules, surroundings));
    case 'proxy':
      return families.flatMap((family) => proxyRules(family, rules, surroundings));
    case 'group':
      throw new SystemChangeFailed('programs cannot be routed separately here');
    default:
      return capture satisfies never;
  }
}

function prefixRules(
  family: Family,
  capture: Extract<Capture, { kind: 'prefixes' }>,
  rules: FilterRules,
  surroundings: FilterSurroundings,
): Rule[] {
  const ranges = capturedRanges(capture, family);
  const resolvers = ofFamily(rules.resolvers, family);
  const chunks = Array.from({ length: Math.ceil(ranges.length / maxRanges) }, (_, index) =>
    ranges.slice(index * maxRanges, (index + 1) * maxRanges),
  );
  return [
    ...exemptions(family, rules, surroundings, capture),
    ...(resolvers.length > 0
      ? [
          // Also of a forwarder within this machine, which asks its own resolvers outside the tunnel.
          {
            ...blocked('resolvers outside the tunnel', family, weights.resolvers, [
              ...lookUps(),
              ...remotes(resolvers),
            ]),
            lifetime: 'now' as const,
          },
        ]
      : []),
    ...chunks.map((chunk) =>
      blocked(
        'captured addresses',
        family,
        weights.captured,
        chunk.map(({ first, end }) => ({
          field: 'remote-range',
          first: addressText(first, family),
          last: addressText(end - 1n, family),
        })),
      ),
    ),
  ];
}

/** What holds whatever is captured. */
function baseRules(rules: FilterRules, surroundings: FilterSurroundings): Rule[] {
  const { tunnelAddresses, awaitedAddresses, allowIncoming } = rules;
  return families.flatMap((family): Rule[] => {
    const own = ofFamily(tunnelAddresses, family);
    const now = { family, lifetime: 'now' } as const;
    return [
      ...(own.length > 0 || ofFamily(awaitedAddresses, family).length > 0
        ? [withinMachine(family, 'now')]
        : []),
      // What nobody here has asked for comes in only if that is wanted; the system does not ask about answers.
      ...tunnelRules(family, rules, surroundings, allowIncoming ? bothWays : ['connect']),
      // Packets from the tunnel's address that no longer find a route into it, and to it that arrive elsewhere.
      ...[...own, ...ofFamily(awaitedAddresses, family)].map((address) => ({
        ...blocked("the tunnel's address elsewhere", family, weights.ownPrograms, [localAddress(address)]),
        ...now,
      })),
    ];
  });
}

/** From the start of the machine on, it takes two: one for the driver alone, and one for the time after. */
function inSublayer(sublayer: Guid, rules: readonly Rule[], { fromStartOn }: FilterRules): Filter[] {
  return rules
    .flatMap((rule) => {
      if (rule.lifetime === 'now' || !fromStartOn) return filtersOfRule(rule, sublayer, 'running');
      // While the driver is alone, no program of ours runs, and nobody can say whose a socket is.
      const isOfUser = rule.conditions.some(({ field }) => field === 'user');
      return [
        ...filtersOfRule(rule, sublayer, 'persistent'),
        ...(isOfUser ? [] : filtersOfRule(rule, sublayer, 'boot-time')),
      ];
    })
    .map((filter) => withKey({ ...filter, provider: filterProvider }));
}

function filtersOfRule(rule: Rule, sublayer: Guid, lifetime: Filter['lifetime']): Omit<Filter, 'key'>[] {
  return rule.ways.map((way) => {
    const layer: FilterLayer = layersOf[rule.family][way];
    return {
      name: `Waymaker: ${rule.name}`,
      provider: undefined,
      sublayer,
      layer,
      lifetime,
      action: rule.action,
      // Otherwise somebody else's permission, in a sublayer that is asked later, would decide (Windscribe 44).
      isFinal: rule.action === 'block',
      weight: rule.weight,
      conditions: rule.conditions,
    };
  });
}
