import type { Processor } from '../../../../packaging/runtime/processors.ts';
import { signingKeys } from '../../../../packaging/manifest/signing-keys.ts';

/** What packages for this machine are made from that only tests install: quickly, and the same at any time. */
export const packageOptions = async () =>
  ({
    processor: process.arch as Processor,
    time: 1_700_000_000,
    compression: 'fast',
    keys: await signingKeys({}),
    progress: () => undefined,
  }) as const;
