import type { Block } from './block-map.ts';

/** A part of a new file: from which file it is taken, and from where in that; in bytes. */
export interface Part {
  from: 'old' | 'server';
  start: number;
  size: number;
}

/** Each request takes a connection of its own, which is worth so many bytes. */
const bytesOfRequest = 128 * 1024;
/** With more requests, or with less to save than this share, the whole file is downloaded. */
const maxRequests = 64;
const minSaved = 0.2;

/**
 * Of which parts a new file can be put together, in their order, if there is an old one; undefined if that is not worth
 * it.
 */
export function planDifference(before: readonly Block[], after: readonly Block[]): Part[] | undefined {
  const known = new Map<string, number>();
  let at = 0;
  for (const { checksum, size } of before) {
    known.set(`${checksum} ${size}`, at);
    at += size;
  }
  const parts: Part[] = [];
  let offset = 0;
  for (const { checksum, size } of after) {
    const start = known.get(`${checksum} ${size}`);
    const part: Part =
      start === undefined ? { from: 'server', start: offset, size } : { from: 'old', start, size };
    add(parts, part, offset);
    offset += size;
  }
  const merged = withoutGaps(parts);
  const fetched = merged.filter(({ from }) => from === 'server');
  const bytes = fetched.reduce((sum, { size }) => sum + size, 0);
  return fetched.length <= maxRequests && bytes <= offset * (1 - minSaved) ? merged : undefined;
}

/** To the last part, if it goes on there. */
function add(parts: Part[], part: Part, offset: number): void {
  const last = parts.at(-1);
  const goesOn =
    last?.from === part.from && last.start + last.size === (part.from === 'old' ? part.start : offset);
  if (goesOn) last.size += part.size;
  else parts.push(part);
}

/** What is known, but shorter than a request is worth, is downloaded with what is on either side. */
function withoutGaps(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  let offset = 0;
  for (const [index, part] of parts.entries()) {
    const isGap =
      part.from === 'old' &&
      part.size < bytesOfRequest &&
      parts[index - 1]?.from === 'server' &&
      parts[index + 1]?.from === 'server';
    add(merged, isGap ? { from: 'server', start: offset, size: part.size } : { ...part }, offset);
    offset += part.size;
  }
  return merged;
}
