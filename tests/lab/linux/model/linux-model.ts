import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import {
  familyOf,
  mainTable,
  readIpLine,
  type Family,
  type IpChange,
  type PortRange,
  type Route,
  type Rule,
} from './ip-language.ts';
import { readMessage, type NetlinkChange } from './netlink-language.ts';
import { isLetOut, runScript, type Ruleset } from './nft-language.ts';
import type { Outcome, Probe, RecordedCall } from './recorded-call.ts';

/**
 * What we believe Linux does with the helper's calls and with the packets of this machine: rules, tables, devices and
 * the packet filter's output hook. Written from ip-rule(8), ip-route(8), nft(8) and the kernel's net/core/fib_rules.c,
 * net/ipv4/route.c and net/ipv6/route.c, not from the helper.
 */
export interface LinuxModel {
  /** Does what a call does, which may be refused in parts. */
  make(call: RecordedCall): void;
  send(probe: Probe): Outcome;
  /** For comparison: everything that the helper could leave. */
  snapshot(): unknown;
}

interface Device {
  isUp: boolean;
  addresses: string[];
}

export const uplink = {
  name: 'uplink',
  ipv4: { address: '192.168.1.7', length: 24, router: '192.168.1.1' },
  ipv6: { address: 'fd12:1::7', length: 64, router: 'fd12:1::1' },
} as const;
const tunnel = 'wm0';

/** A program's port, which none of the rules mentions. */
const sourcePort = 50_000;
const protocolNumbers = { tcp: 6, udp: 17 } as const;

interface LookUp {
  family: Family;
  destination: string;
  source: string | undefined;
  protocol: number;
  destinationPort: number;
  user: number;
  device: string | undefined;
}

const onLink = (table: number, prefix: string, device: string): Route => ({
  family: familyOf(prefix),
  table,
  prefix,
  metric: 0,
  way: { kind: 'device', device },
});

/** `uplinkIndex`: the number of the link's device, by which messages name it. */
export function createLinuxModel(uplinkIndex: number): LinuxModel {
  const devices = new Map<string, Device>([
    ['lo', { isUp: true, addresses: ['127.0.0.1', '::1'] }],
    [uplink.name, { isUp: true, addresses: [uplink.ipv4.address, uplink.ipv6.address] }],
  ]);
  let rules: Rule[] = ([4, 6] as const).map((family) => ({
    family,
    priority: 32_766,
    selectors: {},
    action: { kind: 'lookup', table: mainTable },
  }));
  let routes: Route[] = [
    onLink(mainTable, '192.168.1.0/24', uplink.name),
    onLink(mainTable, '0.0.0.0/0', uplink.name),
    onLink(mainTable, 'fd12:1::/64', uplink.name),
    onLink(mainTable, '::/0', uplink.name),
  ];
  const nexthops = new Map<Route, number>();
  let ruleset: Ruleset = new Map();

  const deviceOf = (index: number) => (index === uplinkIndex ? uplink.name : index === 1 ? 'lo' : tunnel);
  const isSamePlace = (one: Route) => (other: Route) =>
    one.family === other.family &&
    one.table === other.table &&
    one.prefix === other.prefix &&
    one.metric === other.metric;
  const isSameRule = (one: Rule) => (other: Rule) => canonical(one) === canonical(other);

  /** Whether the kernel takes it. */
  function change(asked: IpChange | NetlinkChange): boolean {
    switch (asked.kind) {
      case 'make-device':
        if (devices.has(asked.device)) return false;
        devices.set(asked.device, { isUp: false, addresses: [] });
        return true;
      case 'remove-device':
        routes = routes.filter(({ way }) => way.kind !== 'device' || way.device !== asked.device);
        return devices.delete(asked.device);
      case 'set-device': {
        const device = devices.get(asked.device);
        if (device && asked.up) device.isUp = true;
        return device !== undefined;
      }
      case 'add-address': {
        const device = devices.get(asked.device);
        if (device && !device.addresses.includes(asked.address)) device.addresses.push(asked.address);
        return device !== undefined;
      }
      case 'remove-address':
        return removeAddress(asked.device, asked.address);
      case 'replace-route': {
        const { route } = asked;
        if (route.way.kind === 'device' && !devices.get(route.way.device)?.isUp) return false;
        routes = [...routes.filter((one) => !isSamePlace(route)(one)), route];
        if ('nexthop' in asked && asked.nexthop !== undefined) nexthops.set(route, asked.nexthop);
        return true;
      }
      case 'remove-route': {
        const before = routes.length;
        const isMeant = isSamePlace(asked.route);
        routes = routes.filter((one) => !isMeant(one));
        return routes.length < before;
      }
      case 'add-rule':
        if (rules.some(isSameRule(asked.rule))) return false;
        rules = [...rules, asked.rule].sort((one, other) => one.priority - other.priority);
        return true;
      case 'remove-rule': {
        const before = rules.length;
        rules = rules.filter((one) => !isSameRule(asked.rule)(one));
        return rules.length < before;
      }
      case 'remove-nexthop': {
        const before = routes.length;
        routes = routes.filter((one) => nexthops.get(one) !== asked.id);
        return routes.length < before;
      }
      case 'add-elements': {
        const set = ruleset.get('inet waymaker')?.sets.get(asked.set);
        set?.intervals.push(...asked.intervals);
        return set !== undefined;
      }
      default:
        return asked satisfies never;
    }
  }

  /** With its last IPv4 address, a device loses its routes (Linux, net/ipv4/fib_frontend.c, fib_inetaddr_event). */
  function removeAddress(name: string, address: string): boolean {
    const device = devices.get(name);
    if (!device?.addresses.includes(address)) return false;
    device.addresses = device.addresses.filter((one) => one !== address);
    const isLast = familyOf(address) === 4 && !device.addresses.some((one) => familyOf(one) === 4);
    if (isLast)
      routes = routes.filter(
        ({ family, way }) => family !== 4 || way.kind !== 'device' || way.device !== name,
      );
    return true;
  }

  /** The route of a packet; undefined if there is none, or it is refused. */
  function lookUp(asked: LookUp): string | undefined {
    const { family, destination } = asked;
    for (const { addresses } of devices.values()) if (addresses.includes(destination)) return 'lo';
    for (const rule of rules) {
      if (rule.family !== family || !matches(rule, asked)) continue;
      if (rule.action.kind === 'unreachable') return undefined;
      const { table, longerThan } = rule.action;
      const found = bestRoute(asked, table);
      if (!found || found.way.kind === 'throw') continue;
      if (found.way.kind === 'unreachable') return undefined;
      if (longerThan !== undefined && lengthOf(found.prefix) <= longerThan) continue;
      return found.way.device;
    }
    return undefined;
  }

  function bestRoute({ family, destination, device }: LookUp, wanted: number): Route | undefined {
    const isPossible = ({ way }: Route) => {
      if (device === undefined) return true;
      // IPv4 finds what refuses before it looks at the device (net/ipv4/fib_trie.c), IPv6 does not.
      return way.kind === 'device' ? way.device === device : family === 4;
    };
    return routes
      .filter((one) => one.family === family && one.table === wanted && isPossible(one))
      .filter((one) => isInsidePrefix(destination, one.prefix))
      .sort((one, other) => lengthOf(other.prefix) - lengthOf(one.prefix) || one.metric - other.metric)[0];
  }

  const addressOn = (name: string, family: Family) =>
    devices.get(name)?.addresses.find((one) => familyOf(one) === family);

  /** The address that a packet gets if its program has not chosen one, and the way that it then takes. */
  function wayOf(probe: Probe): { device: string; source: string } | undefined {
    const family = familyOf(probe.destination);
    const asked: LookUp = {
      family,
      destination: probe.destination,
      source: probe.source,
      protocol: protocolNumbers[probe.protocol],
      destinationPort: probe.destinationPort,
      user: probe.user,
      device: probe.device,
    };
    const onBoundLink = (source: string | undefined) => {
      // Without a route, IPv4 believes that everything is on the link (net/ipv4/route.c, ip_route_output_key_hash_rcu).
      const own = source ?? addressOn(probe.device ?? '', family);
      return family === 4 && probe.device !== undefined && own !== undefined
        ? { device: probe.device, source: own }
        : undefined;
    };
    const first = lookUp(asked);
    if (probe.source !== undefined)
      return first === undefined ? onBoundLink(probe.source) : { device: first, source: probe.source };
    if (first === undefined && family === 4) return onBoundLink(undefined);
    const source =
      addressOn(first ?? uplink.name, family) ?? (family === 6 ? addressOn(uplink.name, 6) : undefined);
    if (source === undefined) return undefined;
    // IPv6 looks again only if it has found nothing (net/ipv6/ip6_output.c, ip6_dst_lookup_tail).
    const second = family === 6 && first !== undefined ? first : lookUp({ ...asked, source });
    return second === undefined ? onBoundLink(source) : { device: second, source };
  }

  return {
    make(call) {
      if (call.kind === 'nft') ruleset = runScript(ruleset, call.script);
      else if (call.kind === 'ip') {
        for (const line of call.lines) if (!change(readIpLine(line, call.family)) && !call.continues) return;
      } else
        for (const { type, payload } of call.messages)
          change(readMessage({ type, payload: Buffer.from(payload, 'hex') }, deviceOf));
    },
    send(probe) {
      const hasSource =
        probe.source === undefined ||
        [...devices.values()].some(({ addresses }) => addresses.includes(probe.source ?? ''));
      if (!hasSource) return 'nowhere';
      const way = wayOf(probe);
      if (!way || way.device === 'lo') return 'nowhere';
      if (!isLetOut(ruleset, { ...probe, sourcePort, ...way })) return 'nowhere';
      return way.device === tunnel ? 'tunnel' : 'uplink';
    },
    snapshot: () => ({
      devices: [...devices.entries()],
      rules: rules.map(canonical),
      routes: routes.map((one) => JSON.stringify(one)).sort(),
      tables: [...ruleset.keys()].sort(),
    }),
  };
}

const lengthOf = (prefix: string) => Number(prefix.split('/')[1]);

function matches({ selectors }: Rule, asked: LookUp): boolean {
  const { from, to, users, protocol, sourcePorts, destinationPorts } = selectors;
  const isIn = (value: number, range: PortRange | undefined) =>
    !range || (value >= range[0] && value <= range[1]);
  return (
    (from === undefined || (asked.source !== undefined && isInsidePrefix(asked.source, from))) &&
    (to === undefined || isInsidePrefix(asked.destination, to)) &&
    isIn(asked.user, users) &&
    (protocol === undefined || protocol === asked.protocol) &&
    isIn(sourcePort, sourcePorts) &&
    isIn(asked.destinationPort, destinationPorts)
  );
}

/** A rule as text, whatever the order of its parts. */
const canonical = ({ family, priority, selectors, action }: Rule): string =>
  JSON.stringify([family, priority, sorted(selectors), sorted(action)]);

const sorted = (fields: object) => Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
