import type { Routing } from '#shared/tunnel/state.ts';
import { readRouting } from '../../../../../helper/modes/read-routing.ts';
import { addressList, type TunnelConfiguration } from '../../../../../helper/network/tunnel-configuration.ts';
import type { Connection } from '../../../../../helper/system/system-adapter.ts';
import { createLog } from '../../../../../helper/log.ts';
import { wifi, type Machine } from '../../../../lab/darwin/model/machine.ts';
import { createMacosModel, type MacosModel } from '../../../../lab/darwin/model/macos-model.ts';
import type { Probe } from '../../../../lab/darwin/model/packet-way.ts';
import type { MemoryDisk } from '../../../../lab/machine/ports-without-programs.ts';
import { startModelledHelper, users, type Alterations } from './modelled-helper.ts';
import { belongsInTunnel, isInTunnel, isOutside, port, probesFrom, type TrafficPromise } from './promise.ts';

export const routings = {
  global: { mode: 'global', localNetwork: false },
  'global with the local network': { mode: 'global', localNetwork: true },
  'only listed addresses': {
    mode: 'ip',
    policy: 'include',
    routeIps: ['198.51.100.0/24', '10.0.0.0/8', '2001:db8:5::/48'],
    localNetwork: false,
  },
  'all but listed addresses': {
    mode: 'ip',
    policy: 'exclude',
    routeIps: ['198.51.100.0/24', '2001:db8:5::/48'],
    localNetwork: true,
  },
  proxy: { mode: 'pac', routeDomains: ['example.com'], blockedDomains: [] },
} as const satisfies Record<string, Routing>;
export type RoutingName = keyof typeof routings;
export const routingNames = Object.keys(routings) as RoutingName[];

export const gateways = ['192.0.2.1', '192.0.2.2'] as const;

export const configurations: readonly [TunnelConfiguration, TunnelConfiguration] = [
  {
    addresses: { ipv4: '10.66.0.5', ipv6: 'fd66::5' },
    mtu: 1_400,
    dns: { servers: ['10.66.0.1'], searchDomains: ['corp.example'] },
  },
  {
    addresses: { ipv4: '10.66.0.9' },
    mtu: 1_300,
    dns: { servers: ['10.66.0.1', '10.66.0.2'], searchDomains: [] },
  },
];

/** A helper on a model, which is looked at after each call: what it has promised must hold then. */
export interface Scene {
  model: MacosModel;
  helper: ReturnType<typeof startModelledHelper>;
  disk: MemoryDisk;
  log: () => string;
  /** Packets that left outside although all of the promises said that they belong in the tunnel. */
  leaks: string[];
  /** What is promised from now on, all of it; none: nothing is. */
  promises: TrafficPromise[];
  tunnelAddresses: string[];
  /** Looks now. */
  look(after: string): void;
  restart(): void;
}

export function createScene(alterations?: Alterations): Scene {
  const model = createMacosModel();
  const disk: MemoryDisk = { entry: undefined };
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  // Looked at after each call, so what does not change is computed once.
  const answers = new Map<TrafficPromise, Map<Probe, boolean>>();
  const isPromised = (promise: TrafficPromise, probe: Probe) => {
    const known = answers.get(promise) ?? new Map<Probe, boolean>();
    answers.set(promise, known);
    const answer = known.get(probe) ?? belongsInTunnel(promise, probe);
    known.set(probe, answer);
    return answer;
  };
  const lists = new Map<string, Probe[]>();
  const probes = () => {
    const key = scene.tunnelAddresses.join();
    const found = lists.get(key) ?? probesFrom(scene.tunnelAddresses);
    lists.set(key, found);
    return found;
  };
  const scene: Scene = {
    model,
    disk,
    helper: startModelledHelper(model, disk, log, alterations),
    log: () => lines.join(''),
    leaks: [],
    promises: [],
    tunnelAddresses: [],
    look(after) {
      const [first, ...more] = scene.promises;
      if (!first) return;
      for (const probe of probes()) {
        if (![first, ...more].every((promise) => isPromised(promise, probe))) continue;
        if (!isOutside(model.send(probe))) continue;
        const { source, destination, user, boundTo = 'nothing' } = probe;
        scene.leaks.push(`after ${after}: ${source} to ${destination} of ${user}, bound to ${boundTo}`);
      }
    },
    restart() {
      scene.helper.process.end();
      scene.helper = startModelledHelper(model, disk, log, alterations);
    },
  };
  model.onChange.after = (call) => scene.look(call);
  return scene;
}

export const connectionOf = (
  routing: Routing,
  {
    gateway = gateways[0],
    killSwitch = true,
    split = false,
  }: Partial<Record<'gateway', string>> & {
    killSwitch?: boolean;
    split?: boolean;
  } = {},
): Connection => ({
  gateway: { host: 'gw.example.net', port },
  address: gateway,
  routing: readRouting(routing),
  killSwitch,
  owner: String(users.person),
  split,
});

/** What programs notice: what belongs in the tunnel goes there, and what does not goes out as before. */
export function wrongWays({ model, promises, tunnelAddresses }: Scene): string[] {
  const [promise] = promises;
  if (!promise) return [];
  return probesFrom(tunnelAddresses).flatMap((probe) => {
    const outcome = model.send(probe);
    const text = `${probe.source} to ${probe.destination}:${probe.destinationPort} of ${probe.user}`;
    const isOwn = tunnelAddresses.includes(probe.source);
    if (belongsInTunnel(promise, probe)) {
      // What is on the link is refused: its route is the system's.
      const isLink =
        probe.destination.startsWith('192.168.1.') || probe.destination.startsWith('2001:db8:1::');
      const isGateway = (gateways as readonly string[]).includes(probe.destination);
      const isExpected = isOwn && !isLink && !isGateway;
      return isExpected && !isInTunnel(outcome) ? [`not in the tunnel: ${text}`] : [];
    }
    // A program chooses the address of the way that its packets take.
    const isPlain = !isOwn && probe.boundTo === undefined;
    return isPlain && !isOutside(outcome) ? [`not let out: ${text}`] : [];
  });
}

/** Connects by a gateway's first address; from the end of `apply` on, the promise holds. */
export async function connect(scene: Scene, name: RoutingName, killSwitch = true): Promise<void> {
  const routing = routings[name];
  const { adapter } = scene.helper;
  await adapter.apply(connectionOf(routing, { killSwitch }));
  scene.promises = [{ routing, gateway: gateways[0] }];
  scene.look('apply');
  await configure(scene, 0);
}

export async function configure(scene: Scene, which: 0 | 1): Promise<void> {
  const configuration = configurations[which];
  scene.tunnelAddresses = addressList(configuration.addresses);
  await scene.helper.adapter.configure(configuration);
  scene.look('configure');
}

/** Another routing: during the change, both promises bind for what both say. */
export async function changeRouting(scene: Scene, name: RoutingName): Promise<void> {
  const [before] = scene.promises;
  if (!before) throw new Error('nothing is promised');
  const after = { ...before, routing: routings[name] };
  scene.promises = [before, after];
  await scene.helper.adapter.route({ routing: readRouting(after.routing) });
  scene.promises = [after];
  scene.look(`a change to ${name}`);
}

export async function moveTo(scene: Scene, gateway: string): Promise<void> {
  const [before] = scene.promises;
  if (!before) throw new Error('nothing is promised');
  const after = { ...before, gateway };
  scene.promises = [before, after];
  await scene.helper.adapter.moveTo(gateway);
  scene.promises = [after];
  scene.look(`a move to ${gateway}`);
}

/** Somebody changes the system, until it is looked after. */
export async function interfere(scene: Scene, change: (machine: Machine) => void): Promise<boolean> {
  const { promises } = scene;
  scene.promises = [];
  change(scene.model.machine);
  const isInForce = await scene.helper.adapter.verify();
  scene.promises = promises;
  scene.look('what others have changed was put back');
  return isInForce;
}

export async function release(scene: Scene): Promise<void> {
  scene.promises = [];
  await scene.helper.adapter.release({ keepBlocking: false });
}

/** A connection of a program that was there before, and of which the packet filter knows. */
export function addOldState({ model }: Scene): void {
  model.machine.isFilterOn = true;
  model.machine.tokens.add('7');
  model.machine.states.push({
    source: wifi.address,
    destination: '203.0.113.80',
    user: users.person,
    device: undefined,
  });
}
