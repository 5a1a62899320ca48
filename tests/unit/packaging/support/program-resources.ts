import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A resource of a program for Windows by its type and name, which Windows compares in capitals; undefined without it.
 * It is read by binutils, which share nothing with what writes it, as a compiled script (Microsoft, “Resource File
 * Formats”).
 */
export function resourceIn(program: string, type: string, name: string): Buffer | undefined {
  const all = compiledScriptOf(program);
  let found: Buffer | undefined;
  for (let at = 0; at < all.length;) {
    const [dataSize, headerSize] = [all.readUInt32LE(at), all.readUInt32LE(at + 4)];
    const given = textAt(all, at + 8);
    const itsName = textAt(all, at + 8 + given.length);
    const data = at + headerSize;
    if (given.text === type.toUpperCase() && itsName.text === name.toUpperCase()) {
      if (found) throw new Error(`${program} has several resources ${type} ${name}`);
      found = all.subarray(data, data + dataSize);
    }
    // Each begins at a multiple of four.
    at = Math.ceil((data + dataSize) / 4) * 4;
  }
  return found;
}

function compiledScriptOf(program: string): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-resources-'));
  try {
    const file = path.join(folder, 'program.res');
    execFileSync('x86_64-w64-mingw32-windres', ['-J', 'coff', '-O', 'res', program, file]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A type or a name, and its length in bytes: a text that ends with a zero, or a number. */
function textAt(bytes: Buffer, at: number): { text: string | undefined; length: number } {
  if (bytes.readUInt16LE(at) === 0xffff) return { text: undefined, length: 4 };
  let end = at;
  while (bytes.readUInt16LE(end) !== 0) end += 2;
  return { text: bytes.toString('utf16le', at, end), length: end + 2 - at };
}
