import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { netlinkDump, netlinkRemove } from './netlink.ts';
import { findAttribute, type NetlinkMessage } from './netlink-message.ts';

/** Constants of <linux/sock_diag.h>. */
const SOCK_DIAG_BY_FAMILY = 20;
const SOCK_DESTROY = 21;

/** AF_INET and AF_INET6; IPPROTO_TCP and IPPROTO_UDP. */
const addressFamilies = [2, 10] as const;
const [tcp, udp] = [6, 17] as const;
const transports = [tcp, udp] as const;

/** All states of <net/tcp_states.h> except those of sockets without a peer, TCP_CLOSE and TCP_LISTEN. */
const connectedStates = 0xffff & ~(1 << 7) & ~(1 << 10);

/**
 * Offsets: `struct inet_diag_sockid` in `struct inet_diag_msg` (<linux/inet_diag.h>), the addresses in both and the
 * peer's port, which is in big-endian; the owner's uid and the inode.
 */
const idAt = 4;
const idLength = 48;
const peerPortAt = idAt + 2;
const sourceAt = idAt + 4;
const addressLength = 16;
const peerAt = sourceAt + addressLength;
const uidAt = 64;
const inodeAt = 68;
const messageLength = 72;

/**
 * INET_DIAG_INFO of <linux/inet_diag.h> with `struct tcp_info`, and where that has the smoothed round trip time, in
 * microseconds (<linux/tcp.h>, tcpi_rtt).
 */
const INET_DIAG_INFO = 2;
const roundTripAt = 68;

/**
 * Ends all TCP connections and connected UDP sockets with one of these source addresses; their programs get
 * ECONNABORTED (sock_diag(7)).
 */
export async function endSocketsFrom(addresses: readonly string[]): Promise<void> {
  const sources = addresses.flatMap(asTold);
  await end((payload) => {
    const own = payload.subarray(sourceAt, sourceAt + addressLength);
    return sources.some((source) => source.equals(own));
  });
}

/** The same for sockets with these inodes, except connections within this machine. Resolves with their number. */
export async function endSockets(inodes: ReadonlySet<number>): Promise<number> {
  if (inodes.size === 0) return 0;
  return await end((payload) => inodes.has(payload.readUInt32LE(inodeAt)) && !isWithinMachine(payload));
}

/** The port of `address` with which a user's UDP socket is connected; undefined if there is none. */
export async function peerPortOf(uid: number, address: string): Promise<number | undefined> {
  const [found] = await connectionsOf(uid, address, udp, (payload) => payload.readUInt16BE(peerPortAt));
  return found;
}

/** The round trip of a user's TCP connections to `address`, as TCP has measured it; undefined if it has not. */
export async function roundTripOf(uid: number, address: string): Promise<number | undefined> {
  const measured = await connectionsOf(uid, address, tcp, (payload) => {
    const info = findAttribute(payload, messageLength, INET_DIAG_INFO);
    return info && info.length >= roundTripAt + 4 ? info.readUInt32LE(roundTripAt) / 1000 : 0;
  });
  const longest = Math.max(0, ...measured);
  return longest > 0 ? Math.ceil(longest) : undefined;
}

/** What `read` returns for each connection of a user to `address`. */
async function connectionsOf(
  uid: number,
  address: string,
  transport: (typeof transports)[number],
  read: (payload: Buffer) => number,
): Promise<number[]> {
  const peers = asTold(address);
  const found: number[] = [];
  const request = requestOf(addressFamilies[isIPv6(address) ? 1 : 0], transport, Buffer.alloc(idLength));
  // `idiag_ext`, a bit for each attribute; for UDP, the kernel has no such information.
  request.writeUInt8(1 << (INET_DIAG_INFO - 1), 2);
  await netlinkDump('sockets', { type: SOCK_DIAG_BY_FAMILY, payload: request }, ({ payload }) => {
    const peer = payload.subarray(peerAt, peerAt + addressLength);
    if (payload.readUInt32LE(uidAt) === uid && peers.some((known) => known.equals(peer)))
      found.push(read(payload));
  });
  return found;
}

const isWithinMachine = (payload: Buffer) => {
  const address = [...payload.subarray(peerAt, peerAt + addressLength)];
  const isFour = payload[0] === addressFamilies[0];
  const peer = ipaddr.fromByteArray(isFour ? address.slice(0, 4) : address);
  const plain = peer instanceof ipaddr.IPv6 && peer.isIPv4MappedAddress() ? peer.toIPv4Address() : peer;
  return plain.range() === 'loopback';
};

async function end(isMeant: (payload: Buffer) => boolean): Promise<number> {
  const found = await Promise.all(
    addressFamilies.flatMap((family) =>
      transports.map((transport) => requestsToEnd(isMeant, family, transport)),
    ),
  );
  await netlinkRemove('sockets', found.flat());
  return found.flat().length;
}

async function requestsToEnd(
  isMeant: (payload: Buffer) => boolean,
  family: number,
  transport: number,
): Promise<NetlinkMessage[]> {
  const found: NetlinkMessage[] = [];
  const request = requestOf(family, transport, Buffer.alloc(idLength));
  await netlinkDump('sockets', { type: SOCK_DIAG_BY_FAMILY, payload: request }, ({ payload }) => {
    if (!isMeant(payload)) return;
    const id = payload.subarray(idAt, idAt + idLength);
    found.push({ type: SOCK_DESTROY, payload: requestOf(family, transport, id) });
  });
  return found;
}

/** An address as a socket of its own family has it and, for IPv4, also as an IPv6 socket has it (RFC 4291 §2.5.5.2). */
function asTold(address: string): Buffer[] {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  if (isIPv6(address)) return [bytes];
  const padded = Buffer.concat([bytes, Buffer.alloc(addressLength - bytes.length)]);
  return [padded, Buffer.concat([Buffer.from('00000000000000000000ffff', 'hex'), bytes])];
}

/** `struct inet_diag_req_v2`. */
function requestOf(family: number, transport: number, id: Buffer): Buffer {
  const head = Buffer.from([family, transport, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(connectedStates, 4);
  return Buffer.concat([head, id]);
}
