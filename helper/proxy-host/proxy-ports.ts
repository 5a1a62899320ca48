/**
 * The proxy's ports: the first free one is used, so that programs find the next proxy where the previous one was. On
 * Linux, only root may listen below 1024 (ip(7), ip_unprivileged_port_start), so nobody else can answer programs that
 * still use it, whatever has happened to helper, proxy and packet filter. On macOS, others may do so at all addresses at
 * once (XNU, in_pcbbind), and Windows keeps no port for anybody: there, only the filter keeps them away. Below 80,
 * because machines with rootless containers often open the ports from there on. They are unassigned (IANA, Service Name
 * and Port Number Registry), and browsers do not refuse them (Fetch Standard, "bad port").
 */
export const proxyPorts = [28, 30, 32] as const;
