import ipaddr from 'ipaddr.js';
import {
  asPrefix,
  usualMetric,
  type Family,
  type PortRange,
  type Route,
  type Rule,
  type Selectors,
} from './ip-language.ts';

/**
 * Requests of rtnetlink and nftables, decoded anew: <linux/rtnetlink.h>, <linux/fib_rules.h>,
 * <linux/netfilter/nf_tables.h>.
 */

export type NetlinkChange =
  | { kind: 'remove-device'; device: string }
  | { kind: 'replace-route' | 'remove-route'; route: Route; nexthop: number | undefined }
  | { kind: 'remove-rule'; rule: Rule }
  | { kind: 'remove-nexthop'; id: number }
  | { kind: 'add-elements'; set: string; intervals: { first: bigint; end: bigint | undefined }[] };

const types = {
  removeDevice: 17,
  replaceRoute: 24,
  removeRoute: 25,
  removeRule: 33,
  removeNexthop: 105,
  addElements: (10 << 8) | 12,
} as const;

function attributesOf(payload: Buffer, from: number): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (const [type, value] of eachAttribute(payload, from)) found.set(type, value);
  return found;
}

function* eachAttribute(payload: Buffer, from: number): Generator<[number, Buffer]> {
  for (let at = from; at + 4 <= payload.length;) {
    const length = payload.readUInt16LE(at);
    if (length < 4) throw new Error('an attribute without an end');
    yield [payload.readUInt16LE(at + 2) & 0x3fff, payload.subarray(at + 4, at + length)];
    at += Math.ceil(length / 4) * 4;
  }
}

const textOf = (bytes: Buffer | undefined) => bytes?.toString('latin1').replace(/\0.*$/, '') ?? '';

/** `deviceOf`: the name of a device by its number. */
export function readMessage(
  { type, payload }: { type: number; payload: Buffer },
  deviceOf: (index: number) => string,
): NetlinkChange {
  switch (type) {
    case types.removeDevice:
      return { kind: 'remove-device', device: textOf(attributesOf(payload, 16).get(3)) };
    case types.replaceRoute:
    case types.removeRoute:
      return {
        kind: type === types.removeRoute ? 'remove-route' : 'replace-route',
        ...readRoute(payload, deviceOf),
      };
    case types.removeRule:
      return { kind: 'remove-rule', rule: readRule(payload) };
    case types.removeNexthop:
      return { kind: 'remove-nexthop', id: attributesOf(payload, 8).get(1)?.readUInt32LE() ?? 0 };
    case types.addElements:
      return readElements(payload);
    default:
      throw new Error(`the model does not know messages of type ${type}`);
  }
}

const addressFamily = (payload: Buffer): Family => (payload[0] === 10 ? 6 : 4);

function prefixOf(family: Family, address: Buffer | undefined, length: number): string {
  const bytes = address ?? Buffer.alloc(family === 6 ? 16 : 4);
  return asPrefix(`${ipaddr.fromByteArray([...bytes]).toString()}/${length}`);
}

function readRoute(payload: Buffer, deviceOf: (index: number) => string) {
  const family = addressFamily(payload);
  const attributes = attributesOf(payload, 12);
  const device = attributes.get(4)?.readUInt32LE();
  const way = (): Route['way'] => {
    // RTN_BLACKHOLE is what the kernel tells of routes with a nexthop.
    const kind = payload[7];
    if (kind === 9) return { kind: 'throw' };
    if (kind === 7 || kind === 6) return { kind: 'unreachable' };
    if (kind !== 1 || device === undefined) throw new Error(`a route of type ${kind}`);
    return { kind: 'device', device: deviceOf(device) };
  };
  const metric = attributes.get(6)?.readUInt32LE() ?? 0;
  const route: Route = {
    family,
    table: attributes.get(15)?.readUInt32LE() ?? payload.readUInt8(4),
    prefix: prefixOf(family, attributes.get(1), payload.readUInt8(1)),
    metric: metric === 0 ? usualMetric[family] : metric,
    way: way(),
  };
  return { route, nexthop: attributes.get(30)?.readUInt32LE() };
}

function readRule(payload: Buffer): Rule {
  const family = addressFamily(payload);
  const attributes = attributesOf(payload, 12);
  const range = (type: number, size: 2 | 4): PortRange | undefined => {
    const bytes = attributes.get(type);
    return bytes && [bytes.readUIntLE(0, size), bytes.readUIntLE(size, size)];
  };
  const selectors: Selectors = {};
  const [toLength, fromLength] = [payload.readUInt8(1), payload.readUInt8(2)];
  if (fromLength > 0) selectors.from = prefixOf(family, attributes.get(2), fromLength);
  if (toLength > 0) selectors.to = prefixOf(family, attributes.get(1), toLength);
  const users = range(20, 4);
  if (users) selectors.users = users;
  const protocol = attributes.get(22)?.[0];
  if (protocol !== undefined && protocol !== 0) selectors.protocol = protocol;
  const sourcePorts = range(23, 2);
  if (sourcePorts) selectors.sourcePorts = sourcePorts;
  const destinationPorts = range(24, 2);
  if (destinationPorts) selectors.destinationPorts = destinationPorts;
  if (textOf(attributes.get(3)) === 'lo') selectors.fromThisMachine = true;
  const table = attributes.get(15)?.readUInt32LE() ?? payload.readUInt8(4);
  const suppressed = attributes.get(14)?.readInt32LE() ?? -1;
  const isLookup = payload[7] === 1;
  return {
    family,
    priority: attributes.get(6)?.readUInt32LE() ?? 0,
    selectors,
    action: isLookup
      ? { kind: 'lookup', table, ...(suppressed >= 0 && { longerThan: suppressed }) }
      : { kind: 'unreachable' },
  };
}

function readElements(payload: Buffer): NetlinkChange {
  const attributes = attributesOf(payload, 4);
  const intervals: { first: bigint; end: bigint | undefined }[] = [];
  for (const [, element] of eachAttribute(attributes.get(3) ?? Buffer.alloc(0), 0)) {
    const parts = attributesOf(element, 0);
    const key = attributesOf(parts.get(1) ?? Buffer.alloc(0), 0).get(1);
    if (!key) throw new Error('an element without a key');
    const value = BigInt(`0x${key.toString('hex')}`);
    const isEnd = ((parts.get(3)?.readUInt32BE() ?? 0) & 1) !== 0;
    const last = intervals.at(-1);
    if (!isEnd) intervals.push({ first: value, end: undefined });
    else if (last) last.end = value;
  }
  return { kind: 'add-elements', set: textOf(attributes.get(2)), intervals };
}
