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
  /**
   * Networks of containers and virtual machines, and the devices that only lead to these. `unused`: those of the
   * networks in which there is nobody yet.
   */
  internal: { devices: readonly string[]; prefixes: readonly string[]; unused: readonly string[] };
  /** Devices that are bridges, wherever they lead. */
  bridges: readonly string[];
}

export const noNetworks: NearbyNetworks = {
  local: [],
  attachedPublic: [],
  onLink: [],
  internal: { devices: [], prefixes: [], unused: [] },
  bridges: [],
};
