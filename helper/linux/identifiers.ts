/** All names and numbers that distinguish the helper's settings from those of others. */

/** The tunnel's network device. */
export const tunnelDevice = 'wm0';

/** The nftables tables `inet waymaker` and `arp waymaker`. */
export const filterTable = 'waymaker';
export type TableFamily = 'inet' | 'arp';

/** The routing table of the tunnel; iproute2 leaves 1 to 252, and everything from 256 on, to administrators. */
export const routingTable = 5187;

/** The tables for capturing by destination; only one of them is in use at a time. */
export const prefixTables: readonly number[] = [5188, 5189];

/** The id of the nexthop that the routes of a prefix table share; high, so that nobody else uses it. */
export const nexthopOf = (table: number): number => 0x574d_0000 + table;

/**
 * The origin ("protocol") that marks our rules and routes in the kernel, so that they can be removed without knowing
 * them. rtnetlink(7) leaves numbers above RTPROT_STATIC to users; /etc/iproute2/rt_protos has no entry for 87.
 */
export const routeProtocol = 87;

/**
 * Priorities of our routing rules; all come before `main` (32766). If one rule contains everything that another says,
 * they must have different priorities: otherwise removing the shorter one could remove the longer one (Linux,
 * net/core/fib_rules.c, rule_find).
 */
export const rulePriority = {
  /** What is on this machine itself, where the kernel's own rule for that comes after ours. */
  local: 5169,
  /** Refuses everything, if the packet filter cannot be loaded. */
  refuseAll: 5170,
  /** For the group of programs: look-ups, and excepted networks, as for all packets below. */
  groupInternalNetworks: 5171,
  groupNames: 5172,
  groupLocalNetworks: 5173,
  /** The group's other packets, into the tunnel or past it. */
  group: 5174,
  /** If the group's packets go past the tunnel, and there is no route there. */
  groupWithoutUplink: 5175,
  /** In the same case: the reverse lookup of strict rp_filter for answers to the group over IPv4. */
  groupAnswers: 5176,
  /** The reverse lookup of strict rp_filter for answers to a captive portal's proxy. */
  portal: 5177,
  /** What DHCP clients send to renew a lease. */
  leases: 5178,
  /** If destinations are captured: look-ups at the tunnel's resolvers. */
  resolvers: 5179,
  /** The engine's own packets go out as if there was no tunnel. */
  engine: 5180,
  /** Packets to the gateway's port: sign-in by the client, and the reverse lookup of strict rp_filter. */
  gateway: 5181,
  /** If there is no route to the gateway, its packets must not go into the tunnel instead. */
  withoutUplink: 5182,
  /** Networks of containers and virtual machines inside this machine. */
  internalNetworks: 5183,
  /** Look-ups go through the tunnel, even to an address in a local network. */
  names: 5184,
  /**
   * Directly attached networks, if they should stay reachable; the gateway may be in one of them, or inside this
   * machine.
   */
  localNetworks: 5185,
  /** Everything else to the gateway's host, by ports and protocols, and packets without ports. */
  gatewayHost: 5186,
  gatewayAnswers: 5187,
  /**
   * What programs send, and look-ups without a protocol for who sends to the uplink's addresses: over IPv4 of
   * neighbours who ask for them, over IPv6 of answers to a group whose packets go past the tunnel.
   */
  sent: 5188,
  answers: 5189,
  /** Everything else. */
  tunnel: 5190,
  /** If only a proxy is routed: its packets. */
  proxy: 5191,
  /** In that case, and if destinations are captured: packets from the tunnel's own address. */
  tunnelAddress: 5192,
  /** If packets are captured by destination: those destinations. */
  prefixes: 5193,
} as const;
