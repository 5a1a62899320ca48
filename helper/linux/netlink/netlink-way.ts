import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { NetlinkError, netlinkRequest } from './netlink.ts';
import { attribute, findAttribute, findNumber, uint32, type NetlinkMessage } from './netlink-message.ts';
import {
  lengthAt,
  RTA_DST,
  RTA_GATEWAY,
  RTA_OIF,
  RTA_PREFSRC,
  RTA_UID,
  RTA_VIA,
  RTM_GETROUTE,
  routeHeader,
  routeHeaderOf,
} from './route-message.ts';
import { readDevice } from './netlink-state.ts';

/** Where the kernel sends a packet. */
export interface Way {
  /** The next hop's address; undefined if the destination is on the link. */
  gateway: string | undefined;
  device: string;
  /** The device's, in bytes. */
  mtu: number | undefined;
  source: string | undefined;
}

/**
 * The way of a user's packets to an address, as `ip route get ADDRESS uid UID` finds it; undefined if there is none.
 */
export async function findWay(address: string, uid?: number): Promise<Way | undefined> {
  const header = routeHeaderOf(isIPv6(address) ? 6 : 4);
  const destination = Buffer.from(ipaddr.parse(address).toByteArray());
  header[lengthAt] = destination.length * 8;
  const user = uid === undefined ? [] : [attribute(RTA_UID, uint32(uid))];
  const payload = Buffer.concat([header, attribute(RTA_DST, destination), ...user]);
  const route = await answerTo({ type: RTM_GETROUTE, payload });
  const index = route && findNumber(route, routeHeader, RTA_OIF);
  const device = index === undefined ? undefined : await readDevice(index);
  if (!route || device === undefined) return undefined;
  const told = (wanted: number) => addressIn(findAttribute(route, routeHeader, wanted));
  // RTA_VIA: a next hop of another IP version, after its address family.
  const via = addressIn(findAttribute(route, routeHeader, RTA_VIA)?.subarray(2));
  return {
    gateway: told(RTA_GATEWAY) ?? via,
    device: device.name,
    mtu: device.mtu,
    source: told(RTA_PREFSRC),
  };
}

/** The kernel refuses where there is no way. */
async function answerTo(request: NetlinkMessage): Promise<Buffer | undefined> {
  try {
    return (await netlinkRequest('route', request)).payload;
  } catch (error) {
    if (error instanceof NetlinkError && error.errno !== undefined) return undefined;
    throw error;
  }
}

const addressIn = (bytes: Buffer | undefined) => bytes && ipaddr.fromByteArray([...bytes]).toString();
