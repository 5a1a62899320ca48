/** What the signature of a program for macOS says. */
export interface CodeSignature {
  identifier: string;
  /** Whether it runs with the hardened runtime, without which Apple notarises nothing. */
  isHardened: boolean;
  /** The property list of what it may do besides; undefined if it has none. */
  entitlements: string | undefined;
}

/** <mach-o/fat.h> and <mach-o/loader.h>. */
const FAT_MAGIC = 0xcafe_babe;
const MH_MAGIC_64 = 0xfeed_facf;
const LC_CODE_SIGNATURE = 0x1d;
const headerBytes = 32;
const fatHeaderBytes = 8;
const fatEntryBytes = 20;

/** XNU, osfmk/kern/cs_blobs.h; numbers of a signature are big-endian. */
const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade_0cc0;
const CSMAGIC_CODEDIRECTORY = 0xfade_0c02;
const CSMAGIC_EMBEDDED_ENTITLEMENTS = 0xfade_7171;
const CS_RUNTIME = 0x1_0000;
const flagsAt = 12;
const identifierAt = 20;

/** Whether bytes begin like a program for macOS, of one processor or of several. */
export const isMacho = (bytes: Buffer): boolean =>
  bytes.length > headerBytes &&
  (bytes.readUInt32LE(0) === MH_MAGIC_64 || bytes.readUInt32BE(0) === FAT_MAGIC);

/** The signatures of a program, one for each processor; undefined where it has none. Throws for other files. */
export function readCodeSignatures(bytes: Buffer): (CodeSignature | undefined)[] {
  if (!isMacho(bytes)) throw new Error('not a program for macOS');
  if (bytes.readUInt32LE(0) === MH_MAGIC_64) return [readThin(bytes)];
  return Array.from({ length: bytes.readUInt32BE(4) }, (_, index) => {
    const entry = fatHeaderBytes + index * fatEntryBytes;
    const [offset, size] = [bytes.readUInt32BE(entry + 8), bytes.readUInt32BE(entry + 12)];
    return readThin(bytes.subarray(offset, offset + size));
  });
}

function readThin(bytes: Buffer): CodeSignature | undefined {
  if (bytes.readUInt32LE(0) !== MH_MAGIC_64) throw new Error('a program for macOS on less than 64 bits');
  let at = headerBytes;
  for (let command = bytes.readUInt32LE(16); command > 0; command -= 1) {
    const size = bytes.readUInt32LE(at + 4);
    if (bytes.readUInt32LE(at) === LC_CODE_SIGNATURE) {
      const [offset, length] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
      return readBlobs(bytes.subarray(offset, offset + length));
    }
    if (size < 8) throw new Error('a program for macOS with a wrong header');
    at += size;
  }
  return undefined;
}

function readBlobs(signature: Buffer): CodeSignature {
  if (signature.readUInt32BE(0) !== CSMAGIC_EMBEDDED_SIGNATURE)
    throw new Error('a signature of another kind');
  let directory: Buffer | undefined;
  let entitlements: string | undefined;
  for (let index = 0; index < signature.readUInt32BE(8); index += 1) {
    const offset = signature.readUInt32BE(12 + index * 8 + 4);
    const blob = signature.subarray(offset, offset + signature.readUInt32BE(offset + 4));
    const magic = blob.readUInt32BE(0);
    if (magic === CSMAGIC_CODEDIRECTORY) directory ??= blob;
    if (magic === CSMAGIC_EMBEDDED_ENTITLEMENTS) entitlements = blob.toString('utf8', 8);
  }
  if (!directory) throw new Error('a signature without a directory of its code');
  const identifier = directory.toString('utf8', directory.readUInt32BE(identifierAt)).replace(/\0.*$/s, '');
  return { identifier, isHardened: (directory.readUInt32BE(flagsAt) & CS_RUNTIME) !== 0, entitlements };
}
