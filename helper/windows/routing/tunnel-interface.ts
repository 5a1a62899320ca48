import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import type { Verdict } from '../../system/ports/guarded.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { DeviceConfiguration } from '../../system/ports/tunnel-device-port.ts';
import type { IpHelper, Luid, UnicastAddress } from '../calls/ip-helper.ts';

/** The tunnel's interface with its settings and addresses; the adapter itself belongs to whoever made it. */
export interface TunnelInterface {
  /** Existing addresses stay. Rejects if the interface has no IPv4, or an address is somebody else's. */
  configure(configuration: DeviceConfiguration): Promise<void>;
  /** Removes these addresses. */
  removeAddresses(addresses: readonly string[]): void;
  verify(configuration: DeviceConfiguration): Exclude<Verdict, 'unset'>;
  /** Whether it can have addresses of this IP version, of which many administrators switch off IPv6. */
  hasFamily(family: 4 | 6): boolean;
}

/** The lowest; then the system does not derive one from a speed that the adapter invents. */
const metric = 0;

/**
 * In bytes: Windows refuses to set a smaller MTU (wireguard-windows, tunnel/mtumonitor.go; amneziawg-windows-client
 * 123). A tunnel that carries less has no address of IPv6, and nothing leaves by it in that version.
 */
const smallestMtu = { 4: 576, 6: 1_280 } as const;

/** The system makes an adapter's interface a moment after the adapter (rust-tun 161). */
const looksMs = [10, 20, 50, 100, 200, 500, 1_000, 1_000, 1_000] as const;

export function createTunnelInterface(parts: { ipHelper: IpHelper; luid: Luid; log: Log }): TunnelInterface {
  const { ipHelper, luid, log } = parts;

  const hasFamily = (family: 4 | 6) =>
    ipHelper.ipInterfaces().some((one) => one.luid === luid && one.family === family);

  async function untilThere(): Promise<void> {
    for (const look of looksMs) {
      if (hasFamily(4)) return;
      await delay(look);
    }
    if (!hasFamily(4)) throw new SystemChangeFailed("the tunnel's interface does not appear");
  }

  const addressOf = (address: string): UnicastAddress => ({
    luid,
    address,
    prefixLength: address.includes(':') ? 128 : 32,
  });

  const isOurs = (wanted: UnicastAddress) => (found: UnicastAddress) =>
    found.luid === luid && found.address === wanted.address;

  /** An interface that is gone may leave its addresses behind, which then cannot be given to another. */
  function removeFromDead(wanted: UnicastAddress): void {
    const alive = new Set(ipHelper.interfaces().map((one) => one.luid));
    for (const found of ipHelper.addresses())
      if (found.address === wanted.address && !alive.has(found.luid)) {
        ipHelper.deleteAddress(found);
        log.warn('removed an address that an interface has left behind', { address: found.address });
      }
  }

  function add(wanted: UnicastAddress): void {
    if (ipHelper.addresses().some(isOurs(wanted))) return;
    if (ipHelper.createAddress(wanted) !== 'exists') return;
    removeFromDead(wanted);
    if (ipHelper.createAddress(wanted) === 'exists' && !ipHelper.addresses().some(isOurs(wanted)))
      throw new SystemChangeFailed(`another interface has the address ${wanted.address}`);
  }

  const families = [4, 6] as const;
  const ofFamily = (addresses: readonly string[], family: 4 | 6) =>
    addresses.filter((address) => address.includes(':') === (family === 6));

  return {
    hasFamily,
    async configure({ mtu, addresses }) {
      await untilThere();
      for (const family of families) {
        // Before the addresses: with them, the system would look for routers on the tunnel.
        const outcome = ipHelper.setIpInterface({ luid, family, metric, mtu: mtuOf(family, mtu) });
        if (outcome === 'no-protocol') continue;
        for (const address of ofFamily(addresses, family)) add(addressOf(address));
      }
    },
    removeAddresses(addresses) {
      for (const address of addresses) ipHelper.deleteAddress(addressOf(address));
    },
    verify({ mtu, addresses }) {
      const found = ipHelper.addresses();
      const isWhole = families
        .filter((family) => family === 4 || hasFamily(family))
        .every((family) => {
          const settings = ipHelper.ipInterfaces().find((one) => one.luid === luid && one.family === family);
          return (
            settings?.mtu === mtuOf(family, mtu) &&
            settings.metric === metric &&
            !settings.isMetricAutomatic &&
            !settings.ignoresDefaultRoutes &&
            ofFamily(addresses, family).every((address) => found.some(isOurs(addressOf(address))))
          );
        });
      return isWhole ? 'in-force' : 'changed';
    },
  };
}

const mtuOf = (family: 4 | 6, mtu: number): number => Math.max(mtu, smallestMtu[family]);
