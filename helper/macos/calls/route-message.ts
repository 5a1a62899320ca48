import { isIPv6 } from 'node:net';
import { constants, layouts } from './darwin.ts';
import {
  decodeAddress,
  decodeMask,
  encodeAddress,
  encodeLink,
  encodeMask,
  splitAddresses,
} from './socket-address.ts';

/** Where packets go: to a router, directly to an interface's link, or nowhere. */
export type RouteWay =
  | { kind: 'router'; address: string }
  | { kind: 'interface'; index: number }
  | { kind: 'refused' };

/** A route of macOS's one routing table. */
export interface Route {
  /** Without bits after the prefix. */
  prefix: string;
  way: RouteWay;
  /** Only for sockets that are bound to this interface (RTF_IFSCOPE), by its number. */
  scope: number | undefined;
  /** Whether it has the helper's mark. */
  isOurs: boolean;
  /** The interface's number, as the system says it; 0 in a route that is to be made. */
  interface: number;
}

/**
 * What marks the helper's routes: a flag for protocols' own use, which the kernel only keeps (XNU, bsd/net/route.h,
 * RTF_PROTO1). The other two have meanings there: RTF_PROTO2 for ARP, RTF_PROTO3 for cloned routes.
 */
const mark = constants.RTF_PROTO1;

const { rt_msghdr } = layouts;

/** A refused route leads to the loopback, whose output returns the error (XNU, bsd/net/if_loop.c). */
const loopback = { 4: '127.0.0.1', 6: '::1' } as const;

/** `struct rt_msghdr` with destination, way and mask, as a routing socket takes it (route(4)). */
export function encodeRouteMessage(
  type: 'add' | 'delete',
  { prefix, way, scope }: Pick<Route, 'prefix' | 'way' | 'scope'>,
  sequence: number,
): Buffer {
  const [address, version, length] = splitPrefix(prefix);
  const isHost = length === (version === 4 ? 32 : 128);
  const addresses = [
    encodeAddress(address),
    encodeWay(way, version),
    ...(isHost ? [] : [encodeMask(version, length)]),
  ];
  const flags =
    constants.RTF_UP |
    constants.RTF_STATIC |
    mark |
    (isHost ? constants.RTF_HOST : 0) |
    (way.kind === 'interface' ? 0 : constants.RTF_GATEWAY) |
    (way.kind === 'refused' ? constants.RTF_REJECT : 0) |
    (scope === undefined ? 0 : constants.RTF_IFSCOPE);
  const present = constants.RTA_DST | constants.RTA_GATEWAY | (isHost ? 0 : constants.RTA_NETMASK);
  const header = Buffer.alloc(rt_msghdr.size);
  const message = Buffer.concat([header, ...addresses]);
  message.writeUInt16LE(message.length, rt_msghdr.rtm_msglen);
  message.writeUInt8(constants.RTM_VERSION, rt_msghdr.rtm_version);
  message.writeUInt8(type === 'add' ? constants.RTM_ADD : constants.RTM_DELETE, rt_msghdr.rtm_type);
  message.writeUInt16LE(scope ?? 0, rt_msghdr.rtm_index);
  message.writeInt32LE(flags, rt_msghdr.rtm_flags);
  message.writeInt32LE(present, rt_msghdr.rtm_addrs);
  message.writeInt32LE(sequence, rt_msghdr.rtm_seq);
  return message;
}

function encodeWay(way: RouteWay, version: 4 | 6): Buffer {
  switch (way.kind) {
    case 'router':
      return encodeAddress(way.address);
    case 'interface':
      return encodeLink(way.index);
    case 'refused':
      return encodeAddress(loopback[version]);
    default:
      return way satisfies never;
  }
}

/** The messages in what a routing socket or the routing table returned, by their length in front. Throws on others. */
export function* splitMessages(bytes: Buffer): Generator<{ type: number; message: Buffer }> {
  let at = 0;
  while (at < bytes.length) {
    const length = at + rt_msghdr.rtm_type < bytes.length ? bytes.readUInt16LE(at) : 0;
    if (length <= rt_msghdr.rtm_type || at + length > bytes.length)
      throw new Error('a message of the routing socket has a wrong length');
    const message = bytes.subarray(at, at + length);
    at += length;
    // Messages of other versions are to be skipped (route(4)).
    if (message.readUInt8(rt_msghdr.rtm_version) === constants.RTM_VERSION)
      yield { type: message.readUInt8(rt_msghdr.rtm_type), message };
  }
}

/** A route of the table; undefined if it is none of IP, or one that the system has cloned from another for a host. */
export function decodeRoute(message: Buffer): Route | undefined {
  if (message.length < rt_msghdr.size) throw new Error('a message about a route is too short');
  const flags = message.readInt32LE(rt_msghdr.rtm_flags);
  if ((flags & constants.RTF_WASCLONED) !== 0) return undefined;
  const addresses = splitAddresses(
    message.subarray(rt_msghdr.size),
    message.readInt32LE(rt_msghdr.rtm_addrs),
  );
  const destination = addresses.get(constants.RTAX_DST);
  const target = destination && decodeAddress(destination);
  if (target?.kind !== 'ip') return undefined;
  const version = isIPv6(target.address) ? 6 : 4;
  const mask = addresses.get(constants.RTAX_NETMASK);
  const isHost = (flags & constants.RTF_HOST) !== 0;
  const length = isHost ? (version === 4 ? 32 : 128) : mask ? decodeMask(mask, version) : 0;
  if (length === undefined) return undefined;
  const index = message.readUInt16LE(rt_msghdr.rtm_index);
  const router = addresses.get(constants.RTAX_GATEWAY);
  return {
    prefix: `${target.address}/${length}`,
    way: decodeWay(flags, router && decodeAddress(router), index),
    scope: (flags & constants.RTF_IFSCOPE) === 0 ? undefined : index,
    isOurs: (flags & mark) !== 0,
    interface: index,
  };
}

function decodeWay(
  flags: number,
  router: ReturnType<typeof decodeAddress> | undefined,
  index: number,
): RouteWay {
  if ((flags & constants.RTF_REJECT) !== 0) return { kind: 'refused' };
  if ((flags & constants.RTF_GATEWAY) !== 0 && router?.kind === 'ip')
    return { kind: 'router', address: router.address };
  return { kind: 'interface', index: router?.kind === 'link' ? router.index : index };
}

function splitPrefix(prefix: string): [address: string, version: 4 | 6, length: number] {
  const [address = '', length = ''] = prefix.split('/');
  return [address, isIPv6(address) ? 6 : 4, Number(length)];
}
