import { isIPv6 } from 'node:net';
import type { RunProgram } from '../../../run-program.ts';
import type { KernelRoute } from '../system-view.ts';

/** By macOS's own programs, which everybody may ask. */
export interface RoutingTable {
  routeTo(address: string): Promise<KernelRoute | undefined>;
  isByDestination(): Promise<boolean>;
  networksIntoTunnel(): Promise<string[]>;
  /** The helper's tunnel devices: one, or none. */
  tunnelDevices(): Promise<string[]>;
}

/** What route(8) and netstat(1) call RTF_PROTO1, by which the helper marks its routes (helper/macos/calls). */
const mark = { route: 'PROTO1', netstat: '1' } as const;
/** netstat(1): scoped to an interface, refused, made from another route. */
const [scoped, refused, cloned] = ['I', 'R', 'W'];

const families = ['inet', 'inet6'] as const;
type Family = (typeof families)[number];

/** An unused address (RFC 5737), which everything includes and hardly any list. */
const anyAddress = '198.51.100.254';

interface Row {
  destination: string;
  flags: string;
  device: string;
}

export function createRoutingTable(run: RunProgram): RoutingTable {
  /** Undefined if there is no route, which route(8) says in different ways. */
  async function get(address: string): Promise<{ device: string; flags: readonly string[] } | undefined> {
    const family = isIPv6(address) ? ['-inet6'] : [];
    const text = await run('/sbin/route', ['-n', 'get', ...family, address]).catch(() => undefined);
    const device = /^ *interface: (\S+)$/m.exec(text ?? '')?.[1];
    const flags = /^ *flags: <([A-Z0-9,]*)>$/m.exec(text ?? '')?.[1];
    return device === undefined || flags === undefined ? undefined : { device, flags: flags.split(',') };
  }

  async function marked(family: Family): Promise<Row[]> {
    const text = await run('/usr/sbin/netstat', ['-rn', '-f', family]).catch(() => undefined);
    return (text ?? '').split('\n').flatMap((line) => {
      const [destination, , flags, device] = line.trim().split(/\s+/);
      const isMarked =
        device !== undefined && /^[A-Za-z123]+$/.test(flags ?? '') && flags?.includes(mark.netstat);
      return destination !== undefined && flags !== undefined && isMarked
        ? [{ destination, flags, device }]
        : [];
    });
  }

  const leading = async (family: Family) =>
    (await marked(family)).filter(({ flags }) => !flags.includes(refused) && !flags.includes(cloned));

  return {
    async routeTo(address) {
      const found = await get(address);
      if (!found || found.flags.includes('REJECT') || found.flags.includes('BLACKHOLE')) return undefined;
      const { device, flags } = found;
      const isTunnel = flags.includes(mark.route);
      const isThisMachine = device === 'lo0';
      const isOnLink = isThisMachine || (!isTunnel && !flags.includes('GATEWAY'));
      return { address, device, isTunnel, isThisMachine, isOnLink };
    },

    async isByDestination() {
      const rows = (await Promise.all(families.map(marked))).flat();
      if (!rows.some(({ flags }) => !flags.includes(scoped))) return false;
      return !(await get(anyAddress))?.flags.includes(mark.route);
    },

    async networksIntoTunnel() {
      const found = await Promise.all(
        families.map(async (family) => {
          const rows = (await leading(family)).filter(({ flags }) => !flags.includes(scoped));
          return rows.flatMap(({ destination }) => prefixOf(destination, family) ?? []);
        }),
      );
      return found.flat();
    },

    async tunnelDevices() {
      const rows = (await Promise.all(families.map(leading))).flat();
      return [...new Set(rows.map(({ device }) => device))];
    },
  };
}

/**
 * Of a destination as netstat(1) writes it: without zeros at the end of an IPv4 network, without a length where that is
 * eight times the numbers that are left, and with the zone of an IPv6 address.
 */
function prefixOf(destination: string, family: Family): string | undefined {
  if (destination === 'default') return family === 'inet' ? '0.0.0.0/0' : '::/0';
  const [address = '', length] = destination.replace(/%[^/]*/, '').split('/');
  if (family === 'inet6') return `${address}/${length ?? 128}`;
  const numbers = address.split('.');
  if (numbers.length > 4 || !numbers.every((number) => /^\d{1,3}$/.test(number))) return undefined;
  const all = [...numbers, '0', '0', '0'].slice(0, 4);
  return `${all.join('.')}/${length ?? 8 * numbers.length}`;
}
