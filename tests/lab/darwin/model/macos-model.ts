import { isIPv6 } from 'node:net';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { CallFailed } from '../../../../helper/macos/calls/libc.ts';
import type { MacosCalls } from '../../../../helper/macos/calls/macos-calls.ts';
import type { NetworkInterface } from '../../../../helper/macos/calls/interface-calls.ts';
import type { Route } from '../../../../helper/macos/calls/route-message.ts';
import type { EnableToken } from '../../../../helper/macos/filter/enable-token.ts';
import { readAnchor } from './filter-language.ts';
import { newMachine, plainInterface, wifi, type Machine } from './machine.ts';
import { createPacketWay, type Outcome, type Probe } from './packet-way.ts';

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

const errno = { ENXIO: 6, ENOENT: 2, EADDRNOTAVAIL: 49 } as const;

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
        anchors: () => Promise.resolve([...machine.anchors.keys()]),
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

  return {
    machine,
    startProcess,
    onChange,
    send: createPacketWay(machine),
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
