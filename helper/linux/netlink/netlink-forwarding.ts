import { netlinkChange } from './netlink.ts';
import { attribute, uint32, zeroTerminated } from './netlink-message.ts';

/** Constants of <linux/rtnetlink.h>, <linux/if_link.h>, <bits/socket.h> and <linux/ip.h>. */
const RTM_SETLINK = 19;
const IFLA_IFNAME = 3;
const IFLA_AF_SPEC = 26;
const AF_INET = 2;
const IFLA_INET_CONF = 1;
const IPV4_DEVCONF_FORWARDING = 1;

/** The size of `struct ifinfomsg`. */
const linkHeader = 16;

/**
 * Has a device forward the IPv4 packets that it receives, as `net.ipv4.conf.DEVICE.forwarding` does, which the helper's
 * unit may not write (systemd.exec(5), ProtectKernelTunables=).
 */
export async function forwardIpv4From(device: string): Promise<void> {
  const conf = attribute(IFLA_INET_CONF, attribute(IPV4_DEVCONF_FORWARDING, uint32(1)));
  const payload = Buffer.concat([
    Buffer.alloc(linkHeader),
    attribute(IFLA_IFNAME, zeroTerminated(device)),
    attribute(IFLA_AF_SPEC, attribute(AF_INET, conf)),
  ]);
  await netlinkChange('route', { type: RTM_SETLINK, payload });
}
