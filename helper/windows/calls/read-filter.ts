import koffi from 'koffi';
import { guidOfBytes, type Guid } from '#node/os/windows/guid.ts';
import { FWPM_FILTER0 } from './filter-structures.ts';
import type { FoundFilter } from './filtering.ts';

/** Of the memory to which a pointer leads, as the system may free it. */
export const copyOf = (pointer: unknown, length: number) =>
  Buffer.from(new Uint8Array(koffi.view(pointer, length)));

const offsets = {
  key: koffi.offsetof(FWPM_FILTER0.type, 'filterKey'),
  provider: koffi.offsetof(FWPM_FILTER0.type, 'providerKey'),
  layer: koffi.offsetof(FWPM_FILTER0.type, 'layerKey'),
  sublayer: koffi.offsetof(FWPM_FILTER0.type, 'subLayerKey'),
  action: koffi.offsetof(FWPM_FILTER0.type, 'action'),
} as const;

/** The filter at the address `entry`, if it is that provider's. */
export function readFilter(entry: unknown, provider: Guid): FoundFilter[] {
  const filter = copyOf(entry, koffi.sizeof(FWPM_FILTER0.type));
  const owner = filter.readBigUInt64LE(offsets.provider);
  if (owner === 0n || guidOfBytes(copyOf(owner, 16)) !== provider) return [];
  const guidAt = (offset: number) => guidOfBytes(filter.subarray(offset, offset + 16));
  return [
    {
      key: guidAt(offsets.key),
      sublayer: guidAt(offsets.sublayer),
      layer: guidAt(offsets.layer),
      action: filter.readUInt32LE(offsets.action),
    },
  ];
}
