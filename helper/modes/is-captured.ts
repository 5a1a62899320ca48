import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { prefixTexts, type PrefixList } from '../network/prefix-list.ts';
import type { Capture } from './routing-plan.ts';

/** Whether packets to an address belong in the tunnel, if what sends them decides nothing and no network is local. */
export function isCaptured(capture: Capture, address: string): boolean {
  const isIn = (list: PrefixList) => prefixTexts(list).some((prefix) => isInsidePrefix(address, prefix));
  switch (capture.kind) {
    case 'everything':
      return true;
    case 'prefixes':
      return isIn(capture.include) && !isIn(capture.exclude);
    case 'group':
    case 'proxy':
      return false;
    default:
      return capture satisfies never;
  }
}
