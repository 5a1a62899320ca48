import type { Socket } from 'node:net';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import type { Capture } from '../modes/routing-plan.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import type { DnsPort } from './dns-port.ts';
import type { ProxyProcess } from './proxy-process.ts';
import type { ReceivedPackets, SecretFile, UnprivilegedCommand } from './system-adapter.ts';

/**
 * What a system must support for a tunnel. Each port is told the wanted state rather than what to change, and remembers
 * what it was last told. The coordinator decides the order.
 */

/** The result of checking what was set; `unset`: nothing was. */
export type Verdict = 'in-force' | 'changed' | 'unset';

/** Something that an administrator, another program or the system can remove. */
export interface Guarded {
  /** Checks the system. */
  verify(): Promise<Verdict>;
  /** Puts what was last set in force again, whatever part of it still exists. */
  restore(): Promise<void>;
  /** Calls back soon after something may have changed. Returns a function that ends the watch. */
  watch(onChange: () => void): () => void;
}

/** Where the gateway is, outside the tunnel. */
export interface GatewayEndpoint {
  address: string;
  port: number;
}

/** Networks that can be reached without a router, as prefixes. */
export interface NearbyNetworks {
  /** What users mean by their local network: private networks outside this machine. */
  local: readonly string[];
  /**
   * Public networks outside this machine, including those that neighbours invent; local only if the user has named
   * them.
   */
  attachedPublic: readonly string[];
  /** All networks outside this machine, including public ones; the link's own routers and DHCP servers are in them. */
  onLink: readonly string[];
  /** Networks of containers and virtual machines, and the devices that only lead to these. */
  internal: { devices: readonly string[]; prefixes: readonly string[] };
}

export const noNetworks: NearbyNetworks = {
  local: [],
  attachedPublic: [],
  onLink: [],
  internal: { devices: [], prefixes: [] },
};

export interface RoutingRules {
  capture: Capture;
  networks: NearbyNetworks;
  /** Absent if it is not known: then none can be reached. */
  gateway: GatewayEndpoint | undefined;
  /** The tunnel's own addresses, including those that are about to be removed. */
  tunnelAddresses: readonly string[];
  /** Resolvers that are asked through the tunnel, whatever is captured. */
  resolvers: readonly string[];
  /** The user whose group of programs may be captured or excepted. */
  owner: string | undefined;
}

/** Routes captured packets into the tunnel, and nowhere while there is none. */
export interface Router extends Guarded {
  /** A packet that is captured before and after the change matches a rule at every moment. */
  set(rules: RoutingRules): Promise<void>;
  /** Prepares what the next `set` needs, such as thousands of routes, as far as nothing leads there yet. */
  prepare(rules: RoutingRules): Promise<void>;
  /** Lets answers reach the portal's proxy, or no longer, in the same way as the filter; until `clear`. */
  setPortal(portal: Pick<PortalRules, 'resolvers'> | undefined): Promise<void>;
  /** Refuses every packet that would leave the machine, even the engine's, until `set` or `clear`. */
  refuseAll(): Promise<void>;
  clear(): Promise<void>;
}

export interface FilterRules {
  /** All of these apply at once, which is needed while one routing mode replaces another. */
  captures: readonly Capture[];
  gateway: GatewayEndpoint | undefined;
  /** If empty, no packet passes through the tunnel. */
  tunnelAddresses: readonly string[];
  networks: NearbyNetworks;
  /** Resolvers that are only asked through the tunnel, whatever is captured. */
  resolvers: readonly string[];
  /** Absent if no proxy listens. */
  proxyPort: number | undefined;
  /** The user who may use the proxy, and whose group of programs may be captured or excepted. */
  owner: string | undefined;
  /**
   * Where that group's look-ups go, whatever its programs ask; if empty, they fail. Undefined: they are not redirected.
   */
  groupResolvers: readonly string[] | undefined;
}

/** A user's access to a captive portal's pages, while everything else of theirs is blocked. */
export interface PortalRules {
  /** The port of the portal's proxy on this machine, for its client only. */
  proxyPort: number;
  /** The user who may use it. */
  client: string;
  /** The resolvers that the network has assigned; the proxy asks them. */
  resolvers: readonly string[];
  /** When it ends, by `performance.now()`. */
  until: number;
}

export interface SetOptions {
  /** What is captured is held back while the rules are prepared, even if the earlier ones let it pass. */
  atOnce?: boolean;
}

/** Refuses captured packets outside the tunnel. */
export interface PacketFilter extends Guarded {
  /** Replaces the whole set of rules atomically; until then, the earlier rules stay in force. */
  set(rules: FilterRules, options?: SetOptions): Promise<void>;
  /**
   * Lets the portal's proxy out as well, or no longer, including the rules of each later `set`, until `clear`. When the
   * time is over, the system closes it, whatever has happened to the helper. Throws if no rules are in force.
   */
  setPortal(portal: PortalRules | undefined): Promise<void>;
  clear(): Promise<void>;
}

export interface DeviceConfiguration {
  mtu: number;
  addresses: readonly string[];
}

/** The tunnel's network device. */
export interface TunnelDevice extends Guarded {
  readonly name: string;
  /** Whether there is a device with that name, ours or not. */
  exists(): boolean;
  /** Creates it, for the engine's user to open. */
  create(): Promise<void>;
  /** Sets its MTU, addresses and the routes to everything; existing ones stay. */
  configure(configuration: DeviceConfiguration): Promise<void>;
  /** Removes addresses that are not among those of the last `configure`. */
  removeAddresses(old: readonly string[]): Promise<void>;
  remove(): Promise<void>;
  /** Bytes it has carried since it was created; undefined if there is none. */
  statistics(): TunnelStatistics | undefined;
  /** Packets that it has received; undefined if there is none. */
  receivedPackets(): ReceivedPackets | undefined;
}

/** The machine's network outside the tunnel. */
export interface Uplink {
  hasIpv6(): boolean;
  /** Prefixes in which this machine has addresses. */
  attachedNetworks(): Promise<string[]>;
  nearbyNetworks(): Promise<NearbyNetworks>;
  /** The route of the engine's packets to an address, as a text for comparison only; undefined if there is none. */
  routeTo(address: string): Promise<string | undefined>;
  watch(onChange: () => void): () => void;
}

/** Connections of programs that were opened through the tunnel. */
export interface TunnelConnections {
  /** Ends those from these addresses, or from all addresses of the device. Never rejects. */
  end(addresses?: readonly string[]): Promise<void>;
}

/** How the unprivileged engine runs on this machine. */
export interface EngineHost {
  /** Whether the engine and its user are installed. */
  isAvailable(): Promise<boolean>;
  /** How to run a program as the engine's user, so that it ends when the helper does. */
  command(program: string, args: readonly string[]): UnprivilegedCommand;
  /** A file for a secret that such a program inherits. */
  secretFile(content: string): SecretFile;
  /** A TCP connection that takes the engine's route; the socket reports whether it succeeds. */
  connect(gateway: GatewayEndpoint): Socket;
  /** Ends what an earlier helper left running. */
  endLeftOver(): Promise<void>;
}

/** How the unprivileged proxy runs on this machine. */
export interface ProxyHost {
  /** A proxy that is not started yet. */
  create(): Promise<ProxyProcess>;
  endLeftOver(): Promise<void>;
}

/** How a captive portal's proxy runs on this machine: as an unprivileged user whose packets the filter can let out. */
export interface PortalHost {
  /** Starts one that asks these resolvers; `onEnd`: it has ended by itself. It ends when the helper does. */
  start(resolvers: readonly string[], onEnd: () => void): Promise<{ port: number; stop: () => void }>;
}

/** The users' groups of programs. */
export interface GroupHost {
  /** Whether this system can route them separately. */
  isSupported(): boolean;
  /**
   * Moves a user's process and its descendants into the user's group or out of it, and ends the connections that they
   * had. Rejects with `NoSuchProcess`.
   */
  move(process: ProcessMove): Promise<ProcessesMoved>;
}

export interface ProcessMove {
  user: string;
  pid: number;
  into: 'group' | 'outside';
}

/** How many processes were somewhere else before, and how many of their connections were ended. */
export interface ProcessesMoved {
  moved: number;
  ended: number;
}

/** No process of that user: it does not exist, belongs to another user, or has more rights than the user. */
export class NoSuchProcess extends Error {
  override name = 'NoSuchProcess';
}

export interface Ports {
  device: TunnelDevice;
  router: Router;
  filter: PacketFilter;
  dns: DnsPort;
  uplink: Uplink;
  connections: TunnelConnections;
  engines: EngineHost;
  proxies: ProxyHost;
  portals: PortalHost;
  groups: GroupHost;
  /** Whether this system supports tunnels at all. */
  isSupported(): boolean;
}

export type Addresses = TunnelConfiguration['addresses'];

export const addressList = ({ ipv4, ipv6 }: Addresses): string[] =>
  [ipv4, ipv6].filter((address) => address !== undefined);
