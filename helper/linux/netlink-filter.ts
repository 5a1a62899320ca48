import { netlinkRemove } from './netlink.ts';
import { attribute, zeroTerminated } from './netlink-message.ts';

/** Of <linux/netfilter/nf_tables.h>: subsystem 10, message 2. */
const NFT_MSG_DELTABLE = 0x0a02;
const NFTA_TABLE_NAME = 1;
const NFPROTO_INET = 1;

/** Removes a table of the family inet with all that is in it, if it is there. */
export async function removeFilterTable(name: string): Promise<void> {
  const header = Buffer.from([NFPROTO_INET, 0, 0, 0]);
  const payload = Buffer.concat([header, attribute(NFTA_TABLE_NAME, zeroTerminated(name))]);
  await netlinkRemove('netfilter', [{ type: NFT_MSG_DELTABLE, payload }]);
}
