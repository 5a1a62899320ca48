/**
 * Which numbers have been seen, as RFC 6479 has it: a ring of blocks of bits, so that a new number moves no bits. It
 * tolerates that a datagram is overtaken by some 1,990 others.
 */
export interface ReplayWindow {
  /** Whether the number is new, and not so old that nobody knows. Changes nothing. */
  isFresh(number: number): boolean;
  /** Only for a number that is fresh, and whose record is genuine: others could otherwise move the window. */
  accept(number: number): void;
}

const blockBits = 32;
const blockCount = 64;
const size = (blockCount - 1) * blockBits;

export function createReplayWindow(): ReplayWindow {
  const blocks = new Uint32Array(blockCount);
  let newest = -1;
  const blockOf = (number: number) => Math.floor(number / blockBits);
  const bitOf = (number: number) => (1 << (number % blockBits)) >>> 0;

  return {
    isFresh(number) {
      if (number > newest) return true;
      if (number + size <= newest) return false;
      return ((blocks[blockOf(number) % blockCount] ?? 0) & bitOf(number)) === 0;
    },
    accept(number) {
      if (number > newest) {
        const from = newest < 0 ? -1 : blockOf(newest);
        const passed = Math.min(blockOf(number) - from, blockCount);
        for (let step = 1; step <= passed; step += 1) blocks[(from + step) % blockCount] = 0;
        newest = number;
      }
      const index = blockOf(number) % blockCount;
      blocks[index] = ((blocks[index] ?? 0) | bitOf(number)) >>> 0;
    },
  };
}
