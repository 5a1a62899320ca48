import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from '../../../lab/network/addresses.ts';

/**
 * A neighbour that needs the network early in the boot, as cloud-init does on servers (its cloud-init.service: after
 * the network, before sysinit.target, which units come after by default). Where units are ordered in a circle, systemd
 * drops one of them.
 */
const neighbour = [
  '[Unit]',
  'DefaultDependencies=no',
  'Wants=network-pre.target',
  'After=network-pre.target network.target',
  'Before=network-online.target sysinit.target',
  '[Service]',
  'Type=oneshot',
  'RemainAfterExit=yes',
  'ExecStart=/bin/true',
  '',
].join('\n');

/** systemd-networkd with settings for every device, as on images for any cloud; started by the test that wants it. */
async function layNetworkd(tree: string): Promise<void> {
  const networks = path.join(tree, 'etc/systemd/network');
  const dropIns = path.join(tree, 'etc/systemd/system/systemd-networkd.service.d');
  for (const folder of [networks, dropIns]) await mkdir(folder, { recursive: true });
  await writeFile(path.join(networks, '10-uplink.network'), '[Match]\nName=uplink\n[Link]\nUnmanaged=yes\n');
  await writeFile(
    path.join(networks, '20-all.network'),
    `[Match]\nName=*\n[Network]\nDHCP=yes\nDNS=${addresses.neighbour.ipv4}\nDomains=~.\n`,
  );
  // Without udev, it goes on only where it could not change devices (sd-device, udev_available).
  await writeFile(path.join(dropIns, 'lab.conf'), '[Service]\nReadOnlyPaths=/sys\n');
}

/** What a machine with systemd-resolved has besides: that neighbour, and systemd-networkd. */
export async function layOtherUnits(tree: string): Promise<void> {
  const units = path.join(tree, 'etc/systemd/system');
  const wanted = path.join(units, 'sysinit.target.wants');
  await mkdir(wanted, { recursive: true });
  await writeFile(path.join(units, 'cloud-init.service'), neighbour);
  await symlink('/etc/systemd/system/cloud-init.service', path.join(wanted, 'cloud-init.service'));
  await layNetworkd(tree);
}
