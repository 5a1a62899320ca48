import { routeProtocol } from '../identifiers.ts';
import { netlinkDump, netlinkRemove, netlinkReplace } from './netlink.ts';
import { attribute, findNumber, uint32, type NetlinkMessage } from './netlink-message.ts';

/**
 * Nexthops that lead nowhere (ip-nexthop(8); Linux 5.3). Routes to a hundred thousand prefixes can share one and are
 * removed with it at once, whereas removing each of them takes the kernel more than half a second.
 */

/** Constants of <linux/rtnetlink.h> and <linux/nexthop.h>. */
const RTM_NEWNEXTHOP = 104;
const RTM_DELNEXTHOP = 105;
const RTM_GETNEXTHOP = 106;
const NHA_ID = 1;
const NHA_BLACKHOLE = 4;
const AF_INET = 2;

/** The size of `struct nhmsg`. */
const nexthopHeader = 8;
const protocolAt = 2;

export async function addNexthop(id: number): Promise<void> {
  const header = Buffer.alloc(nexthopHeader);
  header[0] = AF_INET;
  header[protocolAt] = routeProtocol;
  const payload = Buffer.concat([
    header,
    attribute(NHA_ID, uint32(id)),
    attribute(NHA_BLACKHOLE, Buffer.alloc(0)),
  ]);
  const template = { type: RTM_NEWNEXTHOP, payload };
  await netlinkReplace('route', { length: 1, template, write: () => undefined });
}

/** Removes a nexthop and the routes that use it, if it exists. */
export const removeNexthop = (id: number): Promise<void> => netlinkRemove('route', [removalOf(id)]);

/** Removes all our nexthops, and the routes that use them. */
export async function removeNexthops(): Promise<void> {
  await netlinkRemove('route', (await ourNexthops()).map(removalOf));
}

/** Whether a nexthop of ours has this id. */
export const hasNexthop = async (id: number): Promise<boolean> => (await ourNexthops()).includes(id);

async function ourNexthops(): Promise<number[]> {
  const found = await netlinkDump('route', { type: RTM_GETNEXTHOP, payload: Buffer.alloc(nexthopHeader) });
  return found
    .filter(({ payload }) => payload[protocolAt] === routeProtocol)
    .map(({ payload }) => findNumber(payload, nexthopHeader, NHA_ID) ?? 0);
}

const removalOf = (id: number): NetlinkMessage => ({
  type: RTM_DELNEXTHOP,
  payload: Buffer.concat([Buffer.alloc(nexthopHeader), attribute(NHA_ID, uint32(id))]),
});
