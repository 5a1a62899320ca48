import koffi from 'koffi';

/** Bytes at an address that does not change, for native calls; whoever makes one gets places in it once and for all. */
export interface Arena {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** The offset of so many bytes, aligned to 64, that nobody else gets. */
  take(length: number): number;
  /** The native address of bytes in it; throws for any others. */
  address(offset: number, length: number): number;
}

const alignment = 64;

export function createArena(size: number): Arena {
  const buffer = new ArrayBuffer(size);
  const bytes = new Uint8Array(buffer);
  // Memory of this size is outside of JavaScript's heap: it stays where it is for as long as `bytes` is there.
  const start = Number(koffi.address(bytes));
  let taken = 0;
  return {
    bytes,
    view: new DataView(buffer),
    take(length) {
      const offset = taken;
      taken += Math.ceil(length / alignment) * alignment;
      if (taken > size) throw new RangeError('the arena is too small');
      return offset;
    },
    address(offset, length) {
      if (!(offset >= 0 && length >= 0 && offset + length <= size && Number.isInteger(offset)))
        throw new RangeError(`${length} bytes at ${offset} are not in the arena`);
      return start + offset;
    },
  };
}
