import type { Guid } from '#node/os/windows/guid.ts';

/** IP Helper: interfaces, addresses and routes. Calls that fail for no expected reason throw `SystemError`. */
export interface IpHelper {
  interfaces(): Interface[];
  /** For each IP version, those interfaces that have it. */
  ipInterfaces(): IpInterface[];
  /** `no-protocol`: this machine, or the interface, does not have that IP version. */
  setIpInterface(wanted: IpInterfaceSettings): 'set' | 'no-protocol';

  addresses(): UnicastAddress[];
  createAddress(address: UnicastAddress): 'created' | 'exists' | 'no-protocol';
  deleteAddress(address: UnicastAddress): 'deleted' | 'absent';

  routes(): Route[];
  createRoute(route: Route): 'created' | 'exists' | 'no-protocol';
  /** Changes the metric of one that exists. */
  setRoute(route: Route): 'set' | 'absent';
  deleteRoute(route: Route): 'deleted' | 'absent';

  /** What the interfaces that are up have been told to ask for names. */
  resolvers(): InterfaceResolver[];

  /** Calls back after each change of interfaces, addresses or routes. Returns a function that ends the watch. */
  watch(onChange: () => void): () => void;
}

/** An interface's number as the system keeps it while it exists (NET_LUID). */
export type Luid = bigint;

export interface Interface {
  luid: Luid;
  guid: Guid;
  /** For people, such as “Ethernet”. */
  alias: string;
  isUp: boolean;
  isLoopback: boolean;
  receivedBytes: bigint;
  sentBytes: bigint;
}

export interface IpInterface {
  luid: Luid;
  family: 4 | 6;
  /** Added to a route's. */
  metric: number;
  isMetricAutomatic: boolean;
  /** In bytes. */
  mtu: number;
  isConnected: boolean;
  ignoresDefaultRoutes: boolean;
}

/** What the tunnel's interface gets; all else of it stays. */
export interface IpInterfaceSettings {
  luid: Luid;
  family: 4 | 6;
  /** Instead of one that the system derives from the link's speed. */
  metric: number;
  /** In bytes. */
  mtu: number;
}

export interface UnicastAddress {
  luid: Luid;
  address: string;
  /** The network that is on the link with it. */
  prefixLength: number;
}

export interface InterfaceResolver {
  luid: Luid;
  address: string;
}

/** The interface, the prefix and the next hop tell a route from others. */
export interface Route {
  luid: Luid;
  /** In canonical notation. */
  prefix: string;
  /** Undefined: the network is on the link. */
  nextHop: string | undefined;
  /** Without the interface's. */
  metric: number;
}
