import { isIP } from 'node:net';
import { parsePrefix } from '#shared/tunnel/prefix.ts';
import type { Capture } from '../../modes/routing-plan.ts';
import { addressesOf } from '../../network/gateway-endpoint.ts';
import { prefixesOf, type Family, type PrefixList } from '../../network/prefix-list.ts';
import type { FilterRules } from '../../system/ports/packet-filter-port.ts';
import type { FilterState } from '../calls/pfctl.ts';

/**
 * States of earlier rules, the helper's or others', that let through what the rules refuse now. Those of the gateway,
 * of this machine itself and of the tunnel stay: without them the engine's connection would begin anew (mullvadvpn-app
 * 6420).
 */
export function staleStates(
  states: readonly FilterState[],
  { captures, gateway, tunnelAddresses }: FilterRules,
): FilterState[] {
  if (states.length === 0) return [];
  const captured = captures.map(matcherOf);
  const kept = new Set([...tunnelAddresses, ...(gateway ? addressesOf(gateway) : [])]);
  const isKept = (address: string) =>
    kept.has(address) || address === '::1' || address.startsWith('127.') || isIP(address) === 0;
  const isCaptured = (address: string) => captured.some((matches) => matches(address));
  return states.filter(
    ({ source, destination }) =>
      !isKept(source) && !isKept(destination) && (isCaptured(source) || isCaptured(destination)),
  );
}

function matcherOf(capture: Capture): (address: string) => boolean {
  switch (capture.kind) {
    case 'everything':
      return () => true;
    case 'prefixes': {
      const [isIncluded, isExcluded] = [containing(capture.include), containing(capture.exclude)];
      return (address) => isIncluded(address) && !isExcluded(address);
    }
    // The proxy is started after the rules are in force.
    case 'proxy':
    case 'group':
      return () => false;
    default:
      return capture satisfies never;
  }
}

/** Looks an address up among the prefixes by each length that one of them has. */
function containing(list: PrefixList): (address: string) => boolean {
  const firsts = { 4: firstsByLength(list, 4), 6: firstsByLength(list, 6) };
  return (address) => {
    const parsed = parsePrefix(address);
    if (!parsed) return false;
    const { family, first, length: bits } = parsed;
    return [...firsts[family]].some(([length, known]) => {
      const behind = BigInt(bits - length);
      return known.has((first >> behind) << behind);
    });
  };
}

function firstsByLength(list: PrefixList, family: Family): Map<number, Set<bigint>> {
  const found = new Map<number, Set<bigint>>();
  for (const { first, length } of prefixesOf(list, family)) {
    const known = found.get(length) ?? new Set();
    found.set(length, known.add(first));
  }
  return found;
}
