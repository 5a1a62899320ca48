import { containsAddress } from '../network/prefix-list.ts';
import type { Capture } from './routing-plan.ts';

/** Whether packets to an address belong in the tunnel, if what sends them decides nothing and no network is local. */
export function isCaptured(capture: Capture, address: string): boolean {
  switch (capture.kind) {
    case 'everything':
      return true;
    case 'prefixes':
      return containsAddress(capture.include, address) && !containsAddress(capture.exclude, address);
    case 'group':
    case 'proxy':
      return false;
    default:
      return capture satisfies never;
  }
}
