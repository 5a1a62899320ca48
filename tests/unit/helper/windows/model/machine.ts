import type { Filter } from '../../../../../helper/windows/calls/filtering.ts';
import type { Luid } from '../../../../../helper/windows/calls/ip-helper.ts';
import type { WindowsCalls } from '../../../../../helper/windows/calls/windows-calls.ts';
import { tunnelAdapter } from '../../../../../helper/windows/identifiers.ts';
import { FilterEngine } from './filter-engine.ts';
import { ipHelperOn, type IpTables } from './ip-tables.ts';
import { outcomeOf, type Outcome, type Packet } from './packets.ts';
import { makeKey, registryOn, type RegistryTree } from './registry-tree.ts';

/** How much of the machine runs: only the network driver, the filtering engine too, or also programs. */
type Phase = 'driver' | 'running';

const loopback: Luid = 1n;
export const ethernet: Luid = 2n;
export const wifi: Luid = 3n;
const tunnelNumber: Luid = 100n;

export const localRules = 'SYSTEM\\CurrentControlSet\\Services\\Dnscache\\Parameters\\DnsPolicyConfig';
export const policyRules = 'SOFTWARE\\Policies\\Microsoft\\Windows NT\\DNSClient\\DnsPolicyConfig';

const tell = (watchers: ReadonlySet<() => void>) => {
  for (const watcher of watchers) queueMicrotask(watcher);
};

/** A machine with Windows, in a network with a router, which executes the adapter's calls. */
export class Machine {
  readonly ip: IpTables = { interfaces: [], ipInterfaces: [], addresses: [], routes: [], resolvers: [] };
  readonly tree: RegistryTree = new Map();
  readonly engine: FilterEngine;
  readonly calls: WindowsCalls;
  tunnel: Luid | undefined;
  /** Called after each change by a call, with the call's name. */
  onCall: (call: string) => void = () => undefined;
  /** Whether the DNS client has not read its settings since they last changed. */
  isResolverStale = false;
  readonly hasIpv6: boolean;
  private phase: Phase = 'running';
  private isSilent = false;
  private nextTunnel = tunnelNumber;
  private readonly watchers = {
    ip: new Set<() => void>(),
    filters: new Set<() => void>(),
    registry: new Set<() => void>(),
  };

  constructor(hasIpv6: boolean) {
    this.hasIpv6 = hasIpv6;
    const [ip, filters, registry] = [this.watchers.ip, this.watchers.filters, this.watchers.registry];
    const changing = (watchers: ReadonlySet<() => void>) => (call: string) => {
      tell(watchers);
      this.onCall(call);
    };
    this.engine = new FilterEngine(changing(filters), filters);
    this.calls = {
      ipHelper: ipHelperOn(this.ip, changing(ip), ip),
      filtering: this.engine.calls(),
      registry: registryOn(
        this.tree,
        (call) => {
          this.isResolverStale = true;
          changing(registry)(call);
        },
        registry,
      ),
      resolverClient: {
        readSettings: () => {
          this.isResolverStale = false;
          this.onCall('readSettings');
          return 'read';
        },
        flush: () => this.onCall('flush'),
        refreshPolicies: () => this.onCall('refreshPolicies'),
      },
    };
    this.addInterface(loopback, '00000000-0000-4000-8000-000000000001', 1, true);
    this.addInterface(ethernet, '00000000-0000-4000-8000-000000000002', 25);
    this.joinNetwork(ethernet, '20');
    makeKey(this.tree, localRules);
  }

  addInterface(
    luid: Luid,
    guid: `${string}-${string}-${string}-${string}-${string}`,
    metric: number,
    isLoopback = false,
  ): void {
    const row = { luid, guid, alias: String(luid), isUp: true, isLoopback, receivedBytes: 0n, sentBytes: 0n };
    this.ip.interfaces.push(row);
    for (const family of this.hasIpv6 ? ([4, 6] as const) : ([4] as const))
      this.ip.ipInterfaces.push({
        luid,
        family,
        metric,
        isMetricAutomatic: true,
        mtu: 1_500,
        isConnected: true,
        ignoresDefaultRoutes: false,
      });
  }

  /** `own`: the end of the machine's address there. */
  joinNetwork(luid: Luid, own: string): void {
    for (const address of ['192.168.7.1', '192.0.2.53', 'fec0:0:0:ffff::1'])
      this.ip.resolvers.push({ luid, address });
    this.attach(luid, { own: `192.168.7.${own}`, network: '192.168.7.0/24', router: '192.168.7.1' });
    if (this.hasIpv6)
      this.attach(luid, { own: `2001:db8:7::${own}`, network: '2001:db8:7::/64', router: 'fe80::1' });
  }

  /** With a router that leads to everywhere. */
  private attach(
    luid: Luid,
    { own, network, router }: { own: string; network: string; router: string },
  ): void {
    const prefixLength = Number(network.split('/')[1]);
    this.ip.addresses.push({ luid, address: own, prefixLength });
    this.ip.routes.push(
      { luid, prefix: network, nextHop: undefined, metric: 256 },
      { luid, prefix: own.includes(':') ? '::/0' : '0.0.0.0/0', nextHop: router, metric: 0 },
    );
  }

  detach(luid: Luid): void {
    this.ip.addresses = this.ip.addresses.filter((one) => one.luid !== luid);
    this.ip.routes = this.ip.routes.filter((one) => one.luid !== luid);
    this.ip.resolvers = this.ip.resolvers.filter((one) => one.luid !== luid);
    this.othersChanged();
  }

  /** As in a sleep, or where the system joins what has changed to nothing. */
  whileNobodyIsTold(change: () => void): void {
    this.isSilent = true;
    change();
    this.isSilent = false;
  }

  /** Others have changed something. */
  othersChanged(): void {
    if (this.isSilent) return;
    for (const watchers of Object.values(this.watchers)) tell(watchers);
  }

  /** As wintun makes one. The same adapter has another number each time. */
  createTunnel(): void {
    this.tunnel = this.nextTunnel;
    this.nextTunnel += 1n;
    this.addInterface(this.tunnel, tunnelAdapter, 5);
    this.onCall('createTunnel');
  }

  /** Its addresses and routes go with it. */
  removeTunnel(): void {
    const gone = this.tunnel;
    if (gone === undefined) return;
    this.tunnel = undefined;
    const isLeft = ({ luid }: { luid: Luid }) => luid !== gone;
    this.ip.interfaces = this.ip.interfaces.filter(isLeft);
    this.ip.ipInterfaces = this.ip.ipInterfaces.filter(isLeft);
    this.ip.addresses = this.ip.addresses.filter(isLeft);
    this.ip.routes = this.ip.routes.filter(isLeft);
    this.othersChanged();
    this.onCall('removeTunnel');
  }

  /** The helper's process has ended, however it did. */
  helperEnds(): void {
    for (const watchers of Object.values(this.watchers)) watchers.clear();
    this.onCall = () => undefined;
    this.engine.endSessions();
    this.removeTunnel();
  }

  /** The machine starts again; at first, only its network driver runs. */
  reboot(): void {
    this.helperEnds();
    this.engine.restart();
    // Made for as long as the machine runs.
    this.ip.routes = this.ip.routes.filter(({ prefix }) => !/\/(?:32|128)$/.test(prefix));
    this.phase = 'driver';
  }

  filteringEngineStarts(): void {
    this.phase = 'running';
  }

  outcome(packet: Packet): Outcome {
    const inForce = ({ lifetime }: Filter) =>
      this.phase === 'driver' ? lifetime === 'boot-time' : lifetime !== 'boot-time';
    return outcomeOf(packet, { ip: this.ip, filters: this.engine.state, inForce, tunnel: this.tunnel });
  }

  /** The resolvers that a name is asked of, by a program that uses the system's client. */
  resolvers(): string[] {
    // Rules of this machine are ignored where there are such of policies.
    const rules = this.tree.has(policyRules) ? policyRules : localRules;
    const found = (this.calls.registry.keys(rules) ?? []).flatMap((rule) => {
      const names = this.calls.registry.value(`${rules}\\${rule}`, 'Name');
      const servers = this.calls.registry.value(`${rules}\\${rule}`, 'GenericDNSServers');
      return names?.kind === 'texts' && names.texts.includes('.') && servers?.kind === 'text'
        ? servers.text.split(';')
        : [];
    });
    return found.length > 0 ? found : ['192.168.7.1', '192.0.2.53'];
  }

  /** All that a helper may change, for comparison; without empty keys, which mean nothing. */
  snapshot() {
    const { state } = this.engine;
    const text = (row: object) =>
      JSON.stringify(row, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
    const keys = [...this.tree].filter(([, values]) => values.size > 0);
    return {
      addresses: this.ip.addresses.map(text).sort(),
      routes: this.ip.routes.map(text).sort(),
      ipInterfaces: this.ip.ipInterfaces.map(text).sort(),
      filters: [...state.filters.values()].map(({ name, lifetime }) => `${name} ${lifetime}`).sort(),
      sublayers: [...state.sublayers.keys()].sort(),
      providers: [...state.providers.keys()].sort(),
      registry: keys.map(([key, values]) => `${key} ${text([...values])}`).sort(),
      policyKey: this.tree.has(policyRules),
    };
  }
}
