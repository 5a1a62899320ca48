import { readFileSync } from 'node:fs';
import { watchUplink } from '../checks/uplink-watch.ts';
import type { SelfTestHere, Uplink } from '../self-test.ts';
import { askIp, hardwareAddress } from './ip.ts';
import { ipv6IsOn } from './ipv6-support.ts';
import { linuxComputer, uidOf } from './linux-computer.ts';
import { ownGroup, removeGroups, removeLeftGroups } from './left-groups.ts';
import { isInstalled, lackOf } from './needs.ts';
import { openPacketSocket } from './sockets.ts';

/** Those that a package makes (`resources/linux/waymaker.sysusers.conf`). */
const engineUser = 'waymaker-engine';

interface ToldRoute {
  dev?: string;
  prefsrc?: string;
  gateway?: string;
  metric?: number;
}

/** A self-test on this computer's own network, on Linux. */
export const linuxHere: SelfTestHere = {
  lack() {
    const lack = lackOf(['ip', 'nft']);
    if (lack) return lack;
    return uidOf(engineUser) === undefined ? { kind: 'no-account', account: engineUser } : undefined;
  },
  folder: '/var/lib/waymaker-self-test',
  helperSocket: (folder) => `${folder}/helper.sock`,
  helperArguments: (engine) => ['--engine', engine, '--control-group', ownGroup()],
  engines: () => (isInstalled('openconnect') ? ['openconnect', 'own'] : ['own']),
  environment: [],
  uplinkTo(peer) {
    const [way] = askIp<ToldRoute>(`route get ${peer}`);
    const [main] = askIp<ToldRoute>('-4 route show default').toSorted(
      (one, other) => (one.metric ?? 0) - (other.metric ?? 0),
    );
    // One's own addresses are reached by the loopback device.
    const device = way?.dev === 'lo' ? main?.dev : way?.dev;
    if (device === undefined || device === 'lo') throw new Error('there is no default route');
    return {
      device,
      address: way?.prefsrc ?? peer,
      hardware: hardwareAddress(device),
      router: main?.dev === device ? main.gateway : undefined,
      hasIpv6: ipv6IsOn(),
      hasIpv6Outside: ipv6IsOn() && askIp('-6 route show default').length > 0,
    };
  },
  computer: ({ device }) => linuxComputer({ uplink: device, engineUser }),
  openWatch({ device, hardware }: Uplink) {
    const isEthernet = readFileSync(`/sys/class/net/${device}/type`, 'utf8').trim() === '1';
    if (!isEthernet) throw new Error(`${device} has no frames of Ethernet`);
    const near = openPacketSocket(device);
    try {
      return watchUplink({ near, far: openPacketSocket(device), from: hardware });
    } catch (error) {
      near.close();
      throw error;
    }
  },
  openPacketSocket,
  async tidy() {
    await removeGroups(ownGroup());
    removeLeftGroups();
  },
};
