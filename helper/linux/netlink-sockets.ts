import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { netlinkDump, netlinkRemove } from './netlink.ts';
import type { NetlinkMessage } from './netlink-message.ts';

/** Of <linux/sock_diag.h>. */
const SOCK_DIAG_BY_FAMILY = 20;
const SOCK_DESTROY = 21;

/** AF_INET and AF_INET6; IPPROTO_TCP and IPPROTO_UDP. */
const addressFamilies = [2, 10] as const;
const transports = [6, 17] as const;

/** All states of <net/tcp_states.h> but those of sockets without a peer, TCP_CLOSE and TCP_LISTEN. */
const connectedStates = 0xffff & ~(1 << 7) & ~(1 << 10);

/** `struct inet_diag_sockid` in `struct inet_diag_msg` (<linux/inet_diag.h>), and the source address in both. */
const idAt = 4;
const idLength = 48;
const sourceAt = idAt + 4;
const addressLength = 16;

/**
 * Ends all TCP connections and connected UDP sockets with one of these source addresses: their programs get
 * ECONNABORTED (sock_diag(7)).
 */
export async function endSocketsFrom(addresses: readonly string[]): Promise<void> {
  const sources = addresses.flatMap(asTold);
  const found = await Promise.all(
    addressFamilies.flatMap((family) =>
      transports.map((transport) => socketsFrom(sources, family, transport)),
    ),
  );
  await netlinkRemove('sockets', found.flat());
}

async function socketsFrom(
  sources: readonly Buffer[],
  family: number,
  transport: number,
): Promise<NetlinkMessage[]> {
  const sockets = await netlinkDump('sockets', {
    type: SOCK_DIAG_BY_FAMILY,
    payload: requestOf(family, transport, Buffer.alloc(idLength)),
  });
  return sockets
    .filter(({ payload }) => {
      const own = payload.subarray(sourceAt, sourceAt + addressLength);
      return sources.some((source) => source.equals(own));
    })
    .map(({ payload }) => ({
      type: SOCK_DESTROY,
      payload: requestOf(family, transport, payload.subarray(idAt, idAt + idLength)),
    }));
}

/** An address as a socket of its own family has it, and one of IPv4 as a socket of IPv6 does, too (RFC 4291 §2.5.5.2). */
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
