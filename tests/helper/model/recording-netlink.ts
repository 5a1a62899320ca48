import * as real from '../../../helper/linux/netlink/netlink.ts';
import { messagesOf, recordMessages } from './kernel-calls.ts';

/** In the place of helper/linux/netlink/netlink.ts, which it uses: see `recordKernelCalls`. */

export const { errorNumbers, NetlinkError, netlinkDump, netlinkRequest } = real;

export const netlinkRemove: typeof real.netlinkRemove = (protocol, removals) =>
  recordMessages(protocol, removals, (kept) => real.netlinkRemove(protocol, kept));

export const netlinkChange: typeof real.netlinkChange = (protocol, change) =>
  recordMessages(protocol, [change], async (kept) => {
    for (const one of kept) await real.netlinkChange(protocol, one);
  });

export const netlinkReplace: typeof real.netlinkReplace = (protocol, series) =>
  recordMessages(protocol, messagesOf(series), async (kept) => {
    for (const template of kept)
      await real.netlinkReplace(protocol, { length: 1, template, write: () => undefined });
  });

export const netlinkBatch: typeof real.netlinkBatch = (messages, frame) =>
  recordMessages('nftables', messages, (kept) => real.netlinkBatch(kept, frame));
