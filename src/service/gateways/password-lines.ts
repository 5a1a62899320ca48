import type { FileHandle } from 'node:fs/promises';

/**
 * The positions of devices' lines in a password file, so that a line is found without reading the file: about 4 MB for
 * 100,000 lines. Others may change the file, so appended lines are read, and a line is trusted only if it is still
 * there.
 */
export interface KnownLines {
  /** Identifies the file; if it was replaced, it is read again. */
  identity: string;
  /** Positions where lines begin, by a hash of their user names. */
  offsets: Map<number, number | number[]>;
  /** How far the file was read, in whole lines. */
  end: number;
  /** Bytes of disabled lines. */
  deadBytes: number;
}

export interface PasswordLine {
  offset: number;
  /** Without its line end. */
  text: string;
}

const newline = 10;
const colon = 58;
const hash = 35;
/** The length of a UUID. */
const userLength = 36;
const chunkBytes = 1024 * 1024;
/** Longer than any device's line. */
const maxLineBytes = 256;

/** A line that ocserv skips, because it has no colon. */
export const switchedOff = ({ text }: PasswordLine): string => '#'.repeat(text.length);

const isSwitchedOff = (bytes: Buffer, start: number): boolean =>
  bytes[start] === hash && bytes[start + userLength] === hash;

/** Updates what was `known` about a file; also returns its size. */
export async function lookAt(
  handle: FileHandle,
  known: KnownLines | undefined,
): Promise<{ lines: KnownLines; size: number }> {
  const stat = await handle.stat({ bigint: true });
  const size = Number(stat.size);
  const identity = `${stat.ino} ${stat.birthtimeNs}`;
  const isSame = known?.identity === identity && size >= known.end;
  const lines = isSame ? known : { identity, offsets: new Map(), end: 0, deadBytes: 0 };
  await readNewLines(handle, lines, size);
  return { lines, size };
}

/** The lines of a user, in file order. */
export async function linesOf(handle: FileHandle, known: KnownLines, user: string): Promise<PasswordLine[]> {
  const found: PasswordLine[] = [];
  for (const offset of offsetsOf(known, user)) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxLineBytes), 0, maxLineBytes, offset);
    const line = { offset, text: lineAt(buffer.subarray(0, bytesRead), 0) };
    if (line.text.startsWith(`${user}:`)) found.push(line);
  }
  return found;
}

export function lineAt(bytes: Buffer, start: number): string {
  const end = bytes.indexOf(newline, start);
  return bytes.toString('latin1', start, end === -1 ? bytes.length : end);
}

async function readNewLines(handle: FileHandle, known: KnownLines, size: number): Promise<void> {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(size - known.end, 1)));
  while (known.end < size) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, known.end);
    const whole = chunk.subarray(0, bytesRead).lastIndexOf(newline) + 1;
    // The rest is not a line, or not a device's.
    if (whole === 0) return;
    addLines(known, chunk.subarray(0, whole), known.end);
    known.end += whole;
  }
}

function addLines(known: KnownLines, lines: Buffer, start: number): void {
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf(newline, at);
    if (isSwitchedOff(lines, at)) known.deadBytes += end + 1 - at;
    else if (lines[at + userLength] === colon) addOffset(known, hashOf(lines, at), start + at);
    at = end + 1;
  }
}

function addOffset({ offsets }: KnownLines, key: number, offset: number): void {
  const before = offsets.get(key);
  offsets.set(key, before === undefined ? offset : [before, offset].flat());
}

/** Positions where lines of this user may begin, in file order. */
export function offsetsOf({ offsets }: KnownLines, user: string): number[] {
  const found = offsets.get(hashOf(Buffer.from(user), 0));
  return found === undefined ? [] : [found].flat();
}

/** 32-bit FNV-1a hash of a user name. */
function hashOf(bytes: Buffer, start: number): number {
  let sum = 0x811c9dc5;
  for (let at = start; at < start + userLength; at += 1) sum = Math.imul(sum ^ (bytes[at] ?? 0), 0x01000193);
  return sum;
}

/** The content without disabled lines. */
export function withoutDeadLines(content: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const newlineAt = content.indexOf(newline, at);
    const end = newlineAt === -1 ? content.length : newlineAt + 1;
    if (!isSwitchedOff(content, at)) kept.push(content.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}
