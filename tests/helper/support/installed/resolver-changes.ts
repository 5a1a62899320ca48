import { addresses } from '../../../lab/network/addresses.ts';

/** What administrators and other programs do, and whether the tunnel's resolvers are gone by it. */
export const othersChanges = {
  resolved: [
    { does: 'systemctl restart systemd-resolved', isUndone: false },
    { does: 'resolvectl revert wm0', isUndone: true },
    { does: 'resolvectl dns wm0 192.0.2.99', isUndone: true },
    // NetworkManager's way with the device of the default route.
    {
      does: `resolvectl dns uplink ${addresses.resolver.ipv4} && resolvectl domain uplink ~.`,
      isUndone: false,
    },
    { does: 'rm /etc/resolv.conf && echo nameserver 192.0.2.99 > /etc/resolv.conf', isUndone: true },
    { does: 'ln -sfn ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf', isUndone: true },
  ],
  resolvconf: [
    { does: 'echo nameserver 192.0.2.99 | resolvconf -a eth0', isUndone: false },
    { does: 'echo nameserver 192.0.2.99 > /run/resolvconf/resolv.conf', isUndone: true },
    { does: 'resolvconf -d tun.wm0', isUndone: true },
    { does: 'rm /etc/resolv.conf && echo nameserver 192.0.2.99 > /etc/resolv.conf', isUndone: true },
    { does: 'ln -sfn ../run/resolvconf/resolv.conf /etc/resolv.conf', isUndone: true },
  ],
  openresolv: [
    { does: 'echo nameserver 192.0.2.99 | resolvconf -a eth0', isUndone: false },
    { does: 'resolvconf -d tun.wm0', isUndone: true },
    { does: 'echo nameserver 192.0.2.99 > /etc/resolv.conf', isUndone: true },
    { does: 'resolvconf -u', isUndone: true },
  ],
} as const;

/** What takes away what of it is still there when the tunnel has gone. */
export const cleanUp = {
  resolved: 'resolvectl revert uplink',
  resolvconf: 'resolvconf -d eth0',
  openresolv: 'resolvconf -d eth0',
} as const;
