/** Every name and number by which the helper's own settings are told apart from everybody else's. */

/** The tunnel's network device. */
export const tunnelDevice = 'wm0';

/** The nftables table `inet waymaker`. */
export const filterTable = 'waymaker';

/** The routing table of the tunnel; iproute2 leaves 1 to 252 and everything from 256 to administrators. */
export const routingTable = 5187;

/** Those that are asked, the one or the other, where packets are captured by their destination. */
export const prefixTables: readonly number[] = [5188, 5189];

/** Of a prefix table: the number of the nexthop that its routes have in common, at which nobody begins to count. */
export const nexthopOf = (table: number): number => 0x574d_0000 + table;

/**
 * The origin ("protocol") that marks our rules and routes in the kernel, so that they can be removed without
 * knowing what they were. rtnetlink(7) leaves numbers above RTPROT_STATIC to users; /etc/iproute2/rt_protos
 * has nobody at 87.
 */
export const routeProtocol = 87;

/**
 * Order of our routing rules; all come before `main` (32766). Rules of which one says all that another says are of
 * different order: to remove the shorter one would mean the longer one too, whichever comes first (Linux,
 * net/core/fib_rules.c, rule_find).
 */
export const rulePriority = {
  /** Everything, where the packet filter cannot be put in force. */
  refuseAll: 5170,
  /** Of the group of programs: name look-ups, and networks that are excepted, as with everybody's packets below. */
  groupInternalNetworks: 5171,
  groupNames: 5172,
  groupLocalNetworks: 5173,
  /** The group's other packets, into the tunnel or past it. */
  group: 5174,
  /** Where the group's go past the tunnel and there is no way there. */
  groupWithoutUplink: 5175,
  /** Likewise: the reverse lookup of strict rp_filter for what comes back to the group over IPv4. */
  groupAnswers: 5176,
  /** The reverse lookup of strict rp_filter for what comes back to a captive portal's proxy. */
  portal: 5177,
  /** Where destinations are captured: look-ups at the tunnel's resolvers. */
  resolvers: 5179,
  /** The engine's own packets go out as if there was no tunnel. */
  engine: 5180,
  /** Packets to the gateway's port: sign-in by the client, and the reverse lookup of strict rp_filter. */
  gateway: 5181,
  /** Where there is no way to the gateway, none of these goes into the tunnel in its stead. */
  withoutUplink: 5182,
  /** The rest of what goes to the gateway's host, by its ports and protocols; and what has neither. */
  gatewayHost: 5183,
  gatewayAnswers: 5184,
  /** Networks of containers and virtual machines inside this machine. */
  internalNetworks: 5185,
  /** Name look-ups go through the tunnel, even to an address that a local network has too. */
  names: 5186,
  /** Directly attached networks, if they are to stay reachable. */
  localNetworks: 5187,
  /** Where the group's go past the tunnel: others' that are sent over IPv6, and the way back of what comes to the group. */
  sentIpv6: 5188,
  groupAnswersIpv6: 5189,
  /** All the rest. */
  tunnel: 5190,
  /** Where only a proxy routes: what it sends. */
  proxy: 5191,
  /** Likewise, and where destinations are captured: what comes from the tunnel's own address. */
  tunnelAddress: 5192,
  /** Where packets are captured by their destination: those. */
  prefixes: 5193,
} as const;
