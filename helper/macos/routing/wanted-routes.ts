import { formatPrefix, parsePrefix, type Prefix } from '#shared/tunnel/prefix.ts';
import { addressesOf } from '../../network/gateway-endpoint.ts';
import { prefixesOf } from '../../network/prefix-list.ts';
import { halvesOf, subtractPrefixes } from '../../network/subtract-prefixes.ts';
import type { RoutingRules } from '../../system/ports/router-port.ts';
import type { RouteWay } from '../calls/route-message.ts';
import type { RouteChange } from '../calls/routing-socket.ts';

/** The tunnel's device by its number, and the IP versions that it has addresses of. */
export interface LeadingTunnel {
  index: number;
  families: readonly (4 | 6)[];
}

const families = [4, 6] as const;
const everything = {
  4: { family: 4, first: 0n, length: 0 },
  6: { family: 6, first: 0n, length: 0 },
} as const satisfies Record<4 | 6, Prefix>;

/**
 * The helper's routes in the system's one routing table, beside those of others, none of which it changes: the default
 * route stays, and what is captured is cut into prefixes that are more specific. The gateway and the links' own
 * networks are in none of these, so that they are reached as without a tunnel, whichever network comes next; the packet
 * filter refuses what may not be reached on a link.
 */
export function wantedRoutes(
  { capture, networks, gateway, resolvers }: RoutingRules,
  tunnel: LeadingTunnel | undefined,
): RouteChange[] {
  const reached = [
    ...networks.onLink,
    ...networks.internal.prefixes,
    ...(gateway === undefined ? [] : addressesOf(gateway)),
  ];
  switch (capture.kind) {
    case 'everything':
      return families.flatMap((family) =>
        without([everything[family]], readOf(family, reached)).flatMap((piece) => layered(piece, tunnel)),
      );
    case 'prefixes':
      return families.flatMap((family) => {
        const beside = readOf(family, reached);
        const listed = without(prefixesOf(capture.include, family), [
          ...prefixesOf(capture.exclude, family),
          ...beside,
        ]);
        const pieces = [...listed, ...without(readOf(family, resolvers), beside)];
        const texts = new Set(pieces.map(formatPrefix));
        return [...texts].map((prefix) => ({ prefix, way: wayOf(family, tunnel), scope: undefined }));
      });
    case 'proxy':
      // For sockets with the tunnel's address alone: the system looks for their way among the routes of its device.
      return families.flatMap((family) =>
        tunnel?.families.includes(family)
          ? [{ prefix: formatPrefix(everything[family]), way: intoTunnel(tunnel), scope: tunnel.index }]
          : [],
      );
    case 'group':
      throw new Error('programs cannot be routed by group on macOS');
    default:
      return capture satisfies never;
  }
}

/** Nothing leaves by the default route. */
export const refusingRoutes = (): RouteChange[] =>
  families.flatMap((family) => without([everything[family]], []).map(refused));

/**
 * A route that refuses, which stays, and in front of it the two halves that lead into the tunnel: when its device ends,
 * by itself too, the system removes those. A single address has no halves.
 */
function layered(piece: Prefix, tunnel: LeadingTunnel | undefined): RouteChange[] {
  const halves = halvesOf(piece);
  if (!tunnel?.families.includes(piece.family)) return [refused(piece)];
  const leading = (halves ?? [piece]).map((half) => ({
    prefix: formatPrefix(half),
    way: intoTunnel(tunnel),
    scope: undefined,
  }));
  return halves ? [refused(piece), ...leading] : leading;
}

const refused = (piece: Prefix): RouteChange => ({
  prefix: formatPrefix(piece),
  way: { kind: 'refused' },
  scope: undefined,
});

const intoTunnel = ({ index }: LeadingTunnel): RouteWay => ({ kind: 'interface', index });

const wayOf = (family: 4 | 6, tunnel: LeadingTunnel | undefined): RouteWay =>
  tunnel?.families.includes(family) ? intoTunnel(tunnel) : { kind: 'refused' };

/** What is in these and not in the others. A default route is two halves, because it is the system's own. */
const without = (prefixes: readonly Prefix[], others: readonly Prefix[]): Prefix[] =>
  subtractPrefixes(prefixes, others).flatMap((piece) =>
    piece.length === 0 ? (halvesOf(piece) ?? []) : [piece],
  );

const readOf = (family: 4 | 6, texts: readonly string[]): Prefix[] =>
  texts.map(readPrefix).filter((prefix) => prefix.family === family);

function readPrefix(text: string): Prefix {
  const prefix = parsePrefix(text);
  if (!prefix) throw new Error(`not a prefix: ${text}`);
  return prefix;
}
