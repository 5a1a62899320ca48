import { isIPv6 } from 'node:net';
import { isInsidePrefix, parsePrefix } from '#shared/tunnel/prefix.ts';
import { CallFailed } from '../../../../helper/macos/calls/libc.ts';
import type { MacosCalls } from '../../../../helper/macos/calls/macos-calls.ts';
import type { NetworkInterface } from '../../../../helper/macos/calls/interface-calls.ts';
import type { Route } from '../../../../helper/macos/calls/route-message.ts';
import type { EnableToken } from '../../../../helper/macos/filter/enable-token.ts';
import { decide, readAnchor, type Anchor, type FilterRule, type Packet } from './filter-language.ts';

/** Where a packet of this machine goes: out by a device, or nowhere. */
export type Outcome = { by: string } | 'refused';

/** A packet, and how the socket of its program is bound. */
export interface Probe extends Packet {
  boundTo?: string;
}

interface State {
  source: string;
  destination: string;
  /** Whose: it stands for the ports, which differ from program to program. */
  user: number | undefined;
  /** Undefined: on every device. */
  device: string | undefined;
}

export interface Machine {
  interfaces: Map<number, NetworkInterface>;
  routes: Route[];
  isFilterOn: boolean;
  tokens: Set<string>;
  mainRules: string[];
  anchors: Map<string, Anchor>;
  states: State[];
  store: Map<string, string>;
}

/** A process on it that makes calls. */
export interface ModelProcess {
  calls: MacosCalls;
  token: EnableToken;
  /** It ends: its descriptors are closed, and what it still does changes nothing. */
  end(): void;
}

/** A Mac with Wi-Fi, as the calls of the adapter leave it: its routing table, its packet filter, its dynamic store. */
export interface MacosModel {
  machine: Machine;
  startProcess(): ModelProcess;
  /** Around each call that changes something; may throw in the place of the call. */
  onChange: { before: (call: string) => void; after: (call: string) => void };
  /** Where a packet goes now. */
  send(probe: Probe): Outcome;
  /** The tunnel's device ends, although a process has its descriptor. */
  endDevice(): void;
  /** For comparison: everything that others could see. */
  snapshot(): unknown;
}

export const wifi = { index: 4, name: 'en0', address: '192.168.1.7', router: '192.168.1.1' } as const;
export const wifi6 = { address: '2001:db8:1::7', router: 'fe80::1' } as const;

const errno = { ENXIO: 6, ENOENT: 2, EADDRNOTAVAIL: 49 } as const;
const anchorRule = 'anchor "com.apple/*" all';

const plainInterface = (index: number, name: string, addresses: string[], isLoopback = false) => ({
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

function newMachine(): Machine {
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

const bitsKnown = new Map<string, string>();
/** The version and the bits of a prefix as text: one is in another if it begins with it. */
function bitsOf(text: string): string {
  const found = bitsKnown.get(text);
  if (found !== undefined) return found;
  const prefix = parsePrefix(text);
  if (!prefix) throw new Error(`not a prefix: ${text}`);
  const all = prefix.first.toString(2).padStart(prefix.family === 4 ? 32 : 128, '0');
  const bits = `${prefix.family} ${all.slice(0, prefix.length)}`;
  bitsKnown.set(text, bits);
  return bits;
}

export function createMacosModel(): MacosModel {
  const machine = newMachine();
  let nextIndex = 10;
  let nextDescriptor = 100;
  let nextToken = 1_000;
  let token: string | undefined;
  /** The device behind each descriptor of a utun's socket; duplicates share it. */
  const sockets = new Map<number, { index: number | undefined }>();
  const watchers = new Set<() => void>();
  const storeWatchers = new Set<() => void>();
  const onChange: MacosModel['onChange'] = { before: () => undefined, after: () => undefined };

  const tell = (whom: ReadonlySet<() => void>) => {
    for (const watcher of whom) setImmediate(watcher);
  };

  const named = (name: string): NetworkInterface => {
    const found = [...machine.interfaces.values()].find((one) => one.name === name);
    if (!found) throw new CallFailed('ioctl', errno.ENXIO);
    return found;
  };
  const isPlace = (prefix: string, scope: number | undefined) => (one: Route) =>
    one.prefix === prefix && one.scope === scope;

  function removeInterface(index: number): void {
    machine.interfaces.delete(index);
    machine.routes = machine.routes.filter((one) => one.interface !== index);
    tell(watchers);
  }

  function closeDescriptor(descriptor: number): void {
    const socket = sockets.get(descriptor);
    sockets.delete(descriptor);
    const isLast = ![...sockets.values()].includes(socket ?? { index: undefined });
    if (socket?.index !== undefined && isLast) removeInterface(socket.index);
  }

  function startProcess(): ModelProcess {
    let isAlive = true;
    const own = new Set<() => void>();
    const watch = (whom: Set<() => void>, onEvent: () => void) => {
      const watcher = () => {
        if (isAlive) onEvent();
      };
      whom.add(watcher);
      own.add(() => whom.delete(watcher));
      return () => whom.delete(watcher);
    };
    function change<Result>(call: string, work: () => Result): Result {
      if (!isAlive) throw new Error('the process has ended');
      onChange.before(call);
      const result = work();
      onChange.after(call);
      return result;
    }
    const calls: MacosCalls = {
      // Nothing in it answers.
      openEcho: () => undefined,
      openUtunSocket() {
        const socket: { index: number | undefined } = { index: undefined };
        const descriptor = (nextDescriptor += 1);
        sockets.set(descriptor, socket);
        return {
          descriptor,
          makeDevice: () =>
            change('utun: make the device', () => {
              const index = (nextIndex += 1);
              const name = `utun${index}`;
              socket.index = index;
              machine.interfaces.set(index, { ...plainInterface(index, name, []), isUp: false });
              return name;
            }),
        };
      },
      descriptors: {
        duplicate(descriptor) {
          const socket = sockets.get(descriptor);
          if (!socket) throw new CallFailed('fcntl', 9);
          const copy = (nextDescriptor += 1);
          sockets.set(copy, socket);
          return copy;
        },
        close: (descriptor) => change('close', () => closeDescriptor(descriptor)),
      },
      interfaces: {
        list: () => structuredClone([...machine.interfaces.values()]),
        setMtu: (name, bytes) =>
          change(`interface: MTU`, () => {
            named(name).mtu = bytes;
          }),
        setUp: (name) =>
          change(`interface: up`, () => {
            named(name).isUp = true;
          }),
        addAddress: (name, address) =>
          change(`interface: add ${address}`, () => {
            const found = named(name);
            found.addresses = [...found.addresses, `${address}/${isIPv6(address) ? 128 : 32}`];
            tell(watchers);
          }),
        removeAddress: (name, address) =>
          change(`interface: remove ${address}`, () => {
            const found = named(name);
            const kept = found.addresses.filter((one) => one.split('/')[0] !== address);
            const isAbsent = kept.length === found.addresses.length;
            found.addresses = kept;
            return isAbsent ? 'absent' : 'removed';
          }),
      },
      routes: {
        table: () => structuredClone(machine.routes),
        add: ({ prefix, way, scope }) =>
          change(`route: add ${prefix}`, () => {
            if (machine.routes.some(isPlace(prefix, scope))) return 'exists';
            const index = way.kind === 'interface' ? way.index : way.kind === 'refused' ? 1 : wifi.index;
            if (!machine.interfaces.has(index)) throw new CallFailed('write', errno.ENXIO);
            machine.routes.push({ prefix, way, scope, isOurs: true, interface: index });
            tell(watchers);
            return 'added';
          }),
        remove: ({ prefix, scope }) =>
          change(`route: delete ${prefix}`, () => {
            const before = machine.routes.length;
            machine.routes = machine.routes.filter((one) => !isPlace(prefix, scope)(one));
            tell(watchers);
            return machine.routes.length < before ? 'removed' : 'absent';
          }),
        watch: (onRoute) => watch(watchers, onRoute),
      },
      filter: {
        isEnabled: () => Promise.resolve(machine.isFilterOn),
        enable: () =>
          Promise.resolve().then(() =>
            change('pf: enable', () => {
              const fresh = String((nextToken += 1));
              machine.tokens.add(fresh);
              machine.isFilterOn = true;
              // By pfctl itself, so that it is kept even if this process is gone by now.
              token = fresh;
            }),
          ),
        release: (held) =>
          Promise.resolve().then(() =>
            change('pf: release', () => {
              if (!machine.tokens.delete(held)) return 'absent';
              if (machine.tokens.size === 0) machine.isFilterOn = false;
              return 'released';
            }),
          ),
        mainRules: () => Promise.resolve([...machine.mainRules]),
        rules: (anchor) =>
          Promise.resolve((machine.anchors.get(anchor)?.rules ?? []).map(({ text }) => text)),
        load: (anchor, text) =>
          Promise.resolve().then(() =>
            change('pf: load', () => {
              const read = readAnchor(text);
              if (read.rules.length === 0) machine.anchors.delete(anchor);
              else machine.anchors.set(anchor, read);
            }),
          ),
        countTable: (anchor, table) =>
          Promise.resolve(machine.anchors.get(anchor)?.tables.get(table)?.length ?? 0),
        states: () =>
          Promise.resolve(machine.states.map(({ source, destination }) => ({ source, destination }))),
        killStates: (source, destination) =>
          Promise.resolve().then(() =>
            change('pf: kill states', () => {
              const isIn = (address: string, host: string) =>
                host.includes('/') ? isInsidePrefix(address, host) : address === host;
              machine.states = machine.states.filter(
                (state) => !(isIn(state.source, source) && isIn(state.destination, destination)),
              );
            }),
          ),
      },
      store: {
        keys: (pattern) =>
          [...machine.store.keys()].filter((key) => new RegExp(`^(?:${pattern})$`).test(key)),
        get: (key) => machine.store.get(key),
        set: (key, value) =>
          change(`store: set ${key}`, () => {
            machine.store.set(key, value);
            tell(storeWatchers);
          }),
        remove: (key) =>
          change(`store: remove ${key}`, () => {
            const isThere = machine.store.delete(key);
            tell(storeWatchers);
            return isThere ? 'removed' : 'absent';
          }),
        watchResolvers: (onResolvers) => watch(storeWatchers, onResolvers),
      },
    };
    return {
      calls,
      token: {
        read: () => token,
        take: (enable) => enable(-1),
        remove() {
          if (isAlive) token = undefined;
        },
      },
      end() {
        isAlive = false;
        for (const stop of own) stop();
        const descriptors = Array.from(sockets.keys());
        for (const descriptor of descriptors) closeDescriptor(descriptor);
      },
    };
  }

  /** Looked up since the table has changed. */
  const ways = new Map<string, Route | undefined>();
  let lookedUpIn: readonly Route[] = [];
  let lookedUpAt = 0;

  /**
   * A socket that is bound to an interface, or to the address of one, only uses routes of that; others use those
   * without a scope (XNU, bsd/netinet/in_pcb.c and in_rmx.c).
   */
  function routeFor({ source, destination, boundTo }: Probe): Route | undefined {
    const bound = [...machine.interfaces.values()].find(({ name }) => name === boundTo);
    const owner = [...machine.interfaces.values()].find(
      ({ addresses, name }) =>
        name.startsWith('utun') && addresses.some((one) => one.split('/')[0] === source),
    );
    const scope = bound ?? owner;
    if (lookedUpIn !== machine.routes || lookedUpAt !== machine.routes.length) {
      ways.clear();
      lookedUpIn = machine.routes;
      lookedUpAt = machine.routes.length;
    }
    const key = `${destination} ${scope?.index ?? ''}`;
    if (!ways.has(key)) ways.set(key, longestMatch(destination, scope));
    return ways.get(key);
  }

  function longestMatch(destination: string, scope: NetworkInterface | undefined): Route | undefined {
    const target = bitsOf(destination);
    let best: Route | undefined;
    let longest = '';
    for (const one of machine.routes) {
      if (scope ? one.interface !== scope.index : one.scope !== undefined) continue;
      const bits = bitsOf(one.prefix);
      if (bits.length <= longest.length || !target.startsWith(bits)) continue;
      best = one;
      longest = bits;
    }
    return best;
  }

  /** What an anchor's rules say of a packet, which is asked again and again. */
  const decisions = new WeakMap<Anchor, Map<string, FilterRule | undefined>>();
  function decided(anchor: Anchor, probe: Probe, device: string): FilterRule | undefined {
    const answers = decisions.get(anchor) ?? new Map<string, FilterRule | undefined>();
    decisions.set(anchor, answers);
    const { source, destination, user, protocol, sourcePort, destinationPort, isAnswer } = probe;
    const key = [source, destination, user, protocol, sourcePort, destinationPort, isAnswer, device].join(
      ' ',
    );
    if (!answers.has(key)) answers.set(key, decide(anchor, probe, 'out', device));
    return answers.get(key);
  }

  function isLetOut(probe: Probe, device: string): boolean {
    const { source, destination } = probe;
    if (!machine.isFilterOn) return true;
    const known = machine.states.some(
      (state) =>
        state.source === source &&
        state.destination === destination &&
        state.user === probe.user &&
        (state.device === undefined || state.device === device),
    );
    if (known) return true;
    const asked = machine.mainRules.includes(anchorRule);
    const anchor = machine.anchors.get('com.apple/waymaker');
    const rule = asked && anchor ? decided(anchor, probe, device) : undefined;
    if (!rule) return true;
    if (rule.action !== 'pass') return false;
    if (rule.state !== 'none')
      machine.states.push({
        source,
        destination,
        user: probe.user,
        device: rule.state === 'device' ? device : undefined,
      });
    return true;
  }

  return {
    machine,
    startProcess,
    onChange,
    send(probe) {
      const found = routeFor(probe);
      if (!found || found.way.kind === 'refused') return 'refused';
      const device = machine.interfaces.get(found.interface);
      if (!device?.isUp) return 'refused';
      return isLetOut(probe, device.name) ? { by: device.name } : 'refused';
    },
    endDevice() {
      for (const socket of new Set(sockets.values())) {
        if (socket.index !== undefined) removeInterface(socket.index);
        socket.index = undefined;
      }
    },
    snapshot: () => ({
      interfaces: [...machine.interfaces.values()].map(({ name, addresses, mtu, isUp }) => ({
        name,
        addresses,
        mtu,
        isUp,
      })),
      routes: machine.routes
        .map(({ prefix, way, scope }) => JSON.stringify([prefix, way, scope ?? null]))
        .sort(),
      filter: {
        isOn: machine.isFilterOn,
        main: machine.mainRules,
        anchors: [...machine.anchors].map(([name, { rules }]) => [name, rules.map(({ text }) => text)]),
      },
      store: Object.fromEntries(machine.store),
    }),
  };
}
