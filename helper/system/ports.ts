import type { Socket } from 'node:net';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import type { Capture } from '../modes/routing-plan.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import type { DnsPort } from './dns-port.ts';
import type { ProxyProcess } from './proxy-process.ts';
import type { ReceivedPackets, UnprivilegedCommand } from './system-adapter.ts';

/**
 * What a system has to be able to do for a tunnel. Each port is told what is to be, not what to change; it knows what
 * it was told last. The coordinator decides the order.
 */

/** What a look at the system says of what was set; `unset`: nothing was. */
export type Verdict = 'in-force' | 'changed' | 'unset';

/** Something that others can take away: an administrator, another program, the system itself. */
export interface Guarded {
  /** Looks at the system. */
  verify(): Promise<Verdict>;
  /** Puts what was set last in force again, whatever of it is still there. */
  restore(): Promise<void>;
  /** Calls back soon after something may have changed. Returns what ends the watch. */
  watch(onChange: () => void): () => void;
}

/** Where the gateway is, outside the tunnel. */
export interface GatewayEndpoint {
  address: string;
  port: number;
}

/** Networks that can be reached without a router, as prefixes. */
export interface NearbyNetworks {
  /** What users mean by their local network: private ones beyond this machine. */
  local: readonly string[];
  /** Public ones beyond this machine, local only if the user has named them; those that neighbours invent included. */
  attachedPublic: readonly string[];
  /** All beyond this machine, public ones too: on them are the link's own routers and DHCP servers. */
  onLink: readonly string[];
  /** Those of containers and virtual machines, and the devices that lead to these and nowhere else. */
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
  /** Absent where it is not known: then there is no way to any. */
  gateway: GatewayEndpoint | undefined;
  /** The tunnel's own, those included that are about to go. */
  tunnelAddresses: readonly string[];
  /** Where names are looked up through the tunnel, whatever is captured. */
  resolvers: readonly string[];
  /** Whose group of programs may be captured, or excepted. */
  owner: string | undefined;
}

/** Sends captured packets into the tunnel, and nowhere while there is none. */
export interface Router extends Guarded {
  /** A packet that is captured before and after finds a rule at every moment. */
  set(rules: RoutingRules): Promise<void>;
  /** Has ready what the next `set` needs for these, as far as nothing leads there yet: thousands of routes. */
  prepare(rules: RoutingRules): Promise<void>;
  /** Has answers get to the portal's proxy besides, or no longer, as the filter lets it out; until `clear`. */
  setPortal(portal: Pick<PortalRules, 'resolvers'> | undefined): Promise<void>;
  /** Refuses every packet that would leave the machine, the engine's too, until `set` or `clear`. */
  refuseAll(): Promise<void>;
  clear(): Promise<void>;
}

export interface FilterRules {
  /** All of these promises hold at once, as is needed while one routing mode gives way to another. */
  captures: readonly Capture[];
  gateway: GatewayEndpoint | undefined;
  /** None: no packet passes through the tunnel. */
  tunnelAddresses: readonly string[];
  networks: NearbyNetworks;
  /** Where names are looked up through the tunnel alone, whatever is captured. */
  resolvers: readonly string[];
  /** Absent while no proxy listens. */
  proxyPort: number | undefined;
  /** Who may use the proxy, and whose group of programs may be captured, or excepted. */
  owner: string | undefined;
  /**
   * Where that group looks names up, whomever its programs ask; with none it looks none up. Undefined: as they ask.
   */
  groupResolvers: readonly string[] | undefined;
}

/** The way of a user to a captive portal's pages, while all else of theirs is blocked. */
export interface PortalRules {
  /** Where on this machine the portal's proxy listens, for its client alone. */
  proxyPort: number;
  /** The user who may use it. */
  client: string;
  /** Those that the network has assigned, which the proxy asks for names. */
  resolvers: readonly string[];
  /** When it is over, by `performance.now()`. */
  until: number;
}

/** Refuses captured packets outside the tunnel. */
export interface PacketFilter extends Guarded {
  /** From one whole set of rules to the other, with no moment in between. */
  set(rules: FilterRules): Promise<void>;
  /**
   * Lets the portal's proxy out besides, or no longer; with the rules of each `set` that follows too, until `clear`. When
   * its time is over the system closes it, whatever has become of the helper. Throws if no rules are in force.
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
  /** Whether there is a device of that name, ours or not. */
  exists(): boolean;
  /** Makes it, for the engine's user to open. */
  create(): Promise<void>;
  /** Gives it its MTU, addresses and the routes to everything; what it has already stays. */
  configure(configuration: DeviceConfiguration): Promise<void>;
  /** Takes addresses away that are not among those of the last `configure`. */
  removeAddresses(old: readonly string[]): Promise<void>;
  remove(): Promise<void>;
  /** Bytes it has carried since it was made; undefined if there is none. */
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
  /** The way of the engine's packets to an address, as a text to be compared only; undefined if there is none. */
  routeTo(address: string): Promise<string | undefined>;
  watch(onChange: () => void): () => void;
}

/** Connections of programs that were made through the tunnel. */
export interface TunnelConnections {
  /** Ends those from these addresses, or from all that the device has. Never rejects. */
  end(addresses?: readonly string[]): Promise<void>;
}

/** The unprivileged engine's place on this machine. */
export interface EngineHost {
  /** Whether the engine is installed, and its user there. */
  isAvailable(): Promise<boolean>;
  /** How to run a program as the engine's user, so that it ends when the helper does. */
  command(program: string, args: readonly string[]): UnprivilegedCommand;
  /** A TCP connection that goes where the engine's go; whether it gets there is for the socket to say. */
  connect(gateway: GatewayEndpoint): Socket;
  /** Ends what an earlier helper left running. */
  endLeftOver(): Promise<void>;
}

/** The unprivileged proxy's place on this machine. */
export interface ProxyHost {
  /** A proxy that is not started yet. */
  create(): Promise<ProxyProcess>;
  endLeftOver(): Promise<void>;
}

/** The place of a captive portal's proxy on this machine: an unprivileged user whose packets the filter can let out. */
export interface PortalHost {
  /** Starts one that asks these resolvers; `onEnd`: it has ended by itself. It ends when the helper does. */
  start(resolvers: readonly string[], onEnd: () => void): Promise<{ port: number; stop: () => void }>;
}

/** The users' groups of programs, which are told apart by where they run. */
export interface GroupHost {
  /** Whether this system can route them in a way of their own. */
  isSupported(): boolean;
  /**
   * Puts a user's process and its descendants into the user's group or out of it, and ends the connections that they
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

/** No process of that user's: there is none, it is another's, or it has more rights than the user. */
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
  /** Whether this system can have tunnels at all. */
  isSupported(): boolean;
}

export type Addresses = TunnelConfiguration['addresses'];

export const addressList = ({ ipv4, ipv6 }: Addresses): string[] =>
  [ipv4, ipv6].filter((address) => address !== undefined);
