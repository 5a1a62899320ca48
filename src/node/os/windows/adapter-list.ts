import koffi from 'koffi';
import { z } from 'zod/mini';
import { adapterConstants as constants } from './adapter-structures.ts';
import { expectSuccess } from './last-error.ts';
import type { NativeCall } from './native-library.ts';
import type { Structure } from './structure.ts';

/** What Microsoft advises to begin with; it grows as the system says. */
const firstBytes = 15_000;
const maxAttempts = 5;
/** More than any machine has; a list that has no end is none. */
const maxEntries = 4_096;

/**
 * Calls GetAdaptersAddresses with these flags, and gives `read` the memory with what it has found, which is there
 * during that call only. Undefined if there are no adapters; throws `CallFailed`.
 */
export function withAdapters<Result>(
  getAdapters: NativeCall,
  flags: number,
  read: (first: bigint) => Result,
): Result | undefined {
  let size = firstBytes;
  for (let attempt = 1; ; attempt += 1) {
    const [memory, wanted]: [Buffer, unknown[]] = [Buffer.alloc(size), [size]];
    const code = Number(getAdapters(constants.AF_UNSPEC, flags, null, memory, wanted)) >>> 0;
    if (code === constants.ERROR_NO_DATA) return undefined;
    if (code !== constants.ERROR_BUFFER_OVERFLOW || attempt === maxAttempts) {
      expectSuccess('GetAdaptersAddresses', code);
      const result = read(koffi.address(memory));
      // The lists are in this memory, to which nothing else refers by now.
      return memory.length > 0 ? result : undefined;
    }
    size = Number(wanted[0]);
  }
}

/** An address of memory, or none. */
export const pointer = z.nullable(z.bigint());

/** The entries of a list of the system's, each of which leads to the next. */
export function entriesFrom<Entry extends { Next: bigint | null }>(
  first: bigint | null,
  { type }: Structure,
  schema: z.core.$ZodType<Entry>,
): Entry[] {
  const entries: Entry[] = [];
  for (let at = first; at !== null && at !== 0n && entries.length < maxEntries;) {
    const entry = z.parse(schema, koffi.decode(at, type));
    entries.push(entry);
    at = entry.Next;
  }
  return entries;
}
