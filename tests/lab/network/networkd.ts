import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from './addresses.ts';
import type { Machine } from '../machine/machine.ts';
import { startSystemBus } from '../desktop/message-bus.ts';
import { endProcess, eventually, words } from '../runs/process.ts';

/** A machine's own systemd-networkd, with the settings that it has by itself. Disposing ends it. */
export interface Networkd extends AsyncDisposable {
  /**
   * Sets the uplink up once more, as it does when it is started where udev tells of devices: after it knows all rules.
   */
  reconfigure(): Promise<void>;
}

/** As on servers: what the uplink has, and not a word about anything else (systemd.network(5)). */
function uplinkNetwork({ isLeased }: NetworkdOptions): string {
  const { user, userPrivate, router } = addresses;
  return [
    '[Match]',
    'Name=uplink',
    '[Network]',
    'IPv6AcceptRA=no',
    `Address=${userPrivate.ipv4}/24`,
    ...[user, userPrivate].map(({ ipv6 }) => `Address=${ipv6}/64`),
    `Gateway=${router.ipv6}`,
    ...(isLeased ? ['DHCP=ipv4'] : [`Address=${user.ipv4}/24`, `Gateway=${router.ipv4}`]),
  ].join('\n');
}

interface NetworkdOptions {
  /** Whether a DHCP server gives the machine its IPv4 address and router. */
  isLeased?: boolean;
}

export async function startNetworkd(
  machine: Machine,
  directory: string,
  options: NetworkdOptions = {},
): Promise<Networkd> {
  await machine.run(words('mkdir -p /etc/systemd/network'));
  await machine.run(words('tee /etc/systemd/network/10-uplink.network'), { input: uplinkNetwork(options) });
  // What others have added in another way it cannot make its own.
  await machine.run(words('ip address flush dev uplink scope global'));
  await machine.run(words('ip -6 route del default'));
  const env = { DBUS_SYSTEM_BUS_ADDRESS: await startSystemBus(machine, directory) };
  const setUp = [
    // It waits for udev's word on each device, but where it could not change them (sd-device, udev_available).
    'mount -o remount,bind,ro /sys',
    'mount -t tmpfs tmpfs /run/systemd',
    'mkdir -p /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/netif/lldp',
    'chown -R systemd-network: /run/systemd/netif',
    'exec /lib/systemd/systemd-networkd',
  ].join(' && ');
  const apart = words('unshare --mount --propagation private setpriv --pdeathsig KILL -- sh -c');
  const child = machine.spawn([...apart, setUp], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

  async function isSetUp(): Promise<void> {
    const links = `/proc/${child.pid}/root/run/systemd/netif/links`;
    await eventually('systemd-networkd has set the uplink up', async () => {
      const files = await readdir(links).catch(() => []);
      // Each is written beside its place, and then put there.
      const texts = await Promise.all(
        files.map((file) => readFile(path.join(links, file), 'utf8').catch(() => '')),
      );
      // The uplink's last step, and by their origin nobody else's.
      const routes = await Promise.all(
        [
          `-4 route show default proto ${options.isLeased ? 'dhcp' : 'static'}`,
          '-6 route show default proto static',
        ].map((show) => machine.run(words(`ip ${show}`))),
      );
      const isConfigured = texts.some((text) => /^ADMIN_STATE=configured$/m.test(text));
      return (isConfigured && !routes.includes('')) || undefined;
    });
  }

  await isSetUp();
  return {
    async reconfigure() {
      await machine.run(words('networkctl reconfigure uplink'), { env });
      await isSetUp();
    },
    [Symbol.asyncDispose]: () => endProcess(child),
  };
}
