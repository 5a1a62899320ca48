import * as real from '../../../helper/linux/nftables/libnftables.ts';
import { recordScript } from './kernel-calls.ts';

/** In the place of helper/linux/nftables/libnftables.ts, which it uses: see `recordKernelCalls`. */

export const { NftablesError, hasLibnftables, listTable } = real;

export const loadRules: typeof real.loadRules = (script) => recordScript(script, real.loadRules);
