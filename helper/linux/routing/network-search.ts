import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import type { NearbyNetworks } from '../../network/nearby-networks.ts';
import { isPieceOfDefault, sortNetworks, type DeviceRoute } from '../../network/sort-networks.ts';
import type { RunCommand } from '../../posix/command.ts';
import { tunnelDevice } from '../identifiers.ts';
import { findBridges, findInternalDevices, isUnusedBridge } from './internal-devices.ts';

/** Finds the nearby networks at each call. */
export function createNetworkSearch(run: RunCommand): () => Promise<NearbyNetworks> {
  /** Devices that have led to the internet. One that has lost its default route still does not count as internal. */
  const waysOut = new Set<string>();
  return async () => {
    const routes = readDeviceRoutes();
    for (const route of routes) if (leadsOut(route)) waysOut.add(route.device);
    const attached = routes.filter((route) => !route.hasGateway && route.length > 0);
    const candidates = new Set(attached.map(({ device }) => device).filter((name) => !waysOut.has(name)));
    const devices = await findInternalDevices(run, candidates);
    const sorted = sortNetworks(attached, {
      isInternal: (device) => devices.includes(device),
      isUnused: isUnusedBridge,
    });
    return { ...sorted, internal: { ...sorted.internal, devices }, bridges: findBridges() };
  };
}

/** Dialled lines have no router; wide routes without one may also be for multicast, or for the guests of a bridge. */
const leadsOut = (route: DeviceRoute) => (route.hasGateway ? isPieceOfDefault(route) : route.length <= 1);

/** linux/route.h, linux/ipv6_route.h. */
const flag = { gateway: 0x2, reject: 0x200, advertised: 0x40000, anycast: 0x100000, local: 0x80000000 };

/**
 * Read from /proc rather than with ip(8), because this is part of every connect. The tunnel's own routes are left out.
 */
function readDeviceRoutes(): DeviceRoute[] {
  const read = (file: string) => {
    try {
      return readFileSync(`/proc/self/net/${file}`, 'utf8');
    } catch {
      // This machine does not have this IP version.
      return '';
    }
  };
  return [...parseIpv4Routes(read('route')), ...parseIpv6Routes(read('ipv6_route'))].filter(
    ({ device }) => device !== tunnelDevice && device !== 'lo',
  );
}

/** Parses /proc/net/route: device, destination, gateway, flags and, in the eighth column, the netmask. */
function parseIpv4Routes(text: string): DeviceRoute[] {
  return rows(text)
    .slice(1)
    .flatMap(([device = '', destination = '', , flags = '', , , , mask = '']) => {
      const bits = parseInt(flags, 16);
      if ((bits & flag.reject) !== 0) return [];
      return {
        device,
        family: 'ipv4',
        address: hostOrderBytes(destination).join('.'),
        length: hostOrderBytes(mask).reduce((length, byte) => length + onesIn(byte), 0),
        hasGateway: (bits & flag.gateway) !== 0,
        isAdvertised: false,
      } as const;
    });
}

/** Parses /proc/net/ipv6_route: destination, its length and, in the last two columns, flags and device. */
function parseIpv6Routes(text: string): DeviceRoute[] {
  return rows(text).flatMap((columns) => {
    const [destination = '', length = ''] = columns;
    const [flags = '', device = ''] = columns.slice(-2);
    const bits = parseInt(flags, 16);
    const isNobodys = (bits & (flag.reject | flag.anycast | flag.local)) !== 0;
    if (isNobodys || destination.startsWith('ff')) return [];
    return {
      device,
      family: 'ipv6',
      address: (destination.match(/.{4}/g) ?? []).join(':'),
      length: parseInt(length, 16),
      hasGateway: (bits & flag.gateway) !== 0,
      isAdvertised: (bits & flag.advertised) !== 0,
    } as const;
  });
}

const rows = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(/\s+/));

/** An address that is written as a number in this machine's byte order. */
function hostOrderBytes(hex: string): number[] {
  const bytes = [...Buffer.from(hex, 'hex')];
  return endianness() === 'LE' ? bytes.toReversed() : bytes;
}

function onesIn(byte: number): number {
  return byte.toString(2).replaceAll('0', '').length;
}
