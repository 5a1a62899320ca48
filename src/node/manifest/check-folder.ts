import { createHash, type KeyObject } from 'node:crypto';
import { constants, lstatSync, readFileSync, type BigIntStats } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import {
  compareVersions,
  manifestFile,
  maxManifestBytes,
  maxSignatureBytes,
  readManifest,
  signatureFile,
  type Manifest,
} from './manifest.ts';
import { judgeSignatures } from './signatures.ts';
import { hasErrorCode } from '../os/error-code.ts';

/** What is wrong with a folder of programs; `path` is relative to it. */
export type FolderProblem =
  /** There is no manifest, no signature, or what there is cannot be read. */
  | { kind: 'unsigned' }
  /** None of the trusted keys has signed. */
  | { kind: 'foreign-key' }
  /** A trusted key is said to have signed, but not this. */
  | { kind: 'wrong-signature' }
  /** It is signed, as something else. */
  | { kind: 'other-product'; product: string }
  /** It is signed, and older than what has run here before. */
  | { kind: 'too-old'; version: string; floor: string }
  | { kind: 'changed' | 'missing' | 'unknown' | 'not-a-file'; path: string };

export interface ExpectedFolder {
  /** Where it is. */
  folder: string;
  product: string;
  /** Public keys that may have signed it. */
  trusted: readonly KeyObject[];
  /** The oldest version that is accepted. */
  floor?: string | undefined;
  /** Files that are only looked for now, because hashing them takes too long: `checkFile` is for them. */
  later?: ReadonlySet<string> | undefined;
}

/** `seen`: which file was found at each path of the manifest, for `findReplaced`. */
export type CheckedFolder =
  | { ok: true; manifest: Manifest; seen: SeenFiles }
  | { ok: false; problem: FolderProblem };

/** Which file was found at a path, and in which state: by what any change of it changes. */
export type SeenFiles = Map<string, string>;

/**
 * Compares a folder with the manifest in it, and that with who has signed it. Each file is hashed from the descriptor
 * that was found to be a regular file; links are followed nowhere below the folder, and a file that the manifest does
 * not name is a problem, too. What is exchanged afterwards, `findReplaced` finds.
 */
export async function checkFolder(expected: ExpectedFolder): Promise<CheckedFolder> {
  const { folder, product, trusted, floor, later } = expected;
  const [text, signatures] = await Promise.all([
    readBounded(path.join(folder, manifestFile), maxManifestBytes),
    readBounded(path.join(folder, signatureFile), maxSignatureBytes),
  ]);
  if (!text || !signatures) return failed({ kind: 'unsigned' });
  const verdict = judgeSignatures(text, 'manifest', signatures.toString('utf8'), trusted);
  if (verdict !== 'good') return failed({ kind: problemOf[verdict] });
  const manifest = readManifest(text.toString('utf8'));
  if (!manifest) return failed({ kind: 'unsigned' });
  if (manifest.product !== product) return failed({ kind: 'other-product', product: manifest.product });
  const { version, files } = manifest;
  if (floor !== undefined && compareVersions(version, floor) < 0)
    return failed({ kind: 'too-old', version, floor });

  const found = await listFolder(folder);
  const named = new Set([manifestFile, signatureFile, ...files.map((file) => file.path)]);
  const unknown = found.find(({ path: one }) => !named.has(one.replace(unfinished, '')));
  if (unknown) return failed({ kind: 'unknown', path: unknown.path });
  const odd = found.find(({ isRegular }) => !isRegular);
  if (odd) return failed({ kind: 'not-a-file', path: odd.path });
  const seen: SeenFiles = new Map();
  for (const file of files) {
    const isRight = later?.has(file.path) ? hasContent : hasItsContent(file);
    const problem = await withFile(folder, file, async (handle) => {
      seen.set(file.path, stateOf(await handle.stat({ bigint: true })));
      return isRight(handle);
    });
    if (problem) return failed(problem);
  }
  return { ok: true, manifest, seen };
}

/**
 * What is wrong by now with files that `checkFolder` has seen; undefined if nothing is. A file that is still the same
 * one is not read again; another one with the right content takes its place in `seen`. With `isStrict`, any other file
 * is a problem, whatever is in it: to look again after a use, so that nothing was exchanged and put back in between. It
 * blocks, so that nothing comes between it and what follows.
 */
export function findReplaced(
  folder: string,
  { files }: Manifest,
  seen: SeenFiles,
  { isStrict = false } = {},
): FolderProblem | undefined {
  for (const { path: one, size, sha256 } of files) {
    const file = path.join(folder, one);
    const status = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (!status) return { kind: 'missing', path: one };
    if (!status.isFile()) return { kind: 'not-a-file', path: one };
    const state = stateOf(status);
    if (state === seen.get(one)) continue;
    const mayBeRight = !isStrict && Number(status.size) === size;
    if (!mayBeRight || createHash('sha256').update(readFileSync(file)).digest('hex') !== sha256)
      return { kind: 'changed', path: one };
    seen.set(one, state);
  }
  return undefined;
}

/** The kernel sets the time of the last change (`ctime`) whenever a file is written, renamed or linked. */
const stateOf = ({ dev, ino, size, ctimeNs }: BigIntStats): string => `${dev} ${ino} ${size} ${ctimeNs}`;

/**
 * What dpkg and rpm call a file until it takes the place of the old one, and dpkg what it keeps of that until then.
 * After a power cut in the middle of an upgrade, such files are left beside programs that are still whole; nothing runs
 * them.
 */
const unfinished = /(?:\.dpkg-(?:new|tmp)|;[\da-f]{8})$/;

const failed = (problem: FolderProblem): CheckedFolder => ({ ok: false, problem });

const problemOf = { wrong: 'wrong-signature', foreign: 'foreign-key', unreadable: 'unsigned' } as const;

type ListedFile = Manifest['files'][number];

/** What is wrong with one file that a manifest names; undefined if nothing is. */
export const checkFile = (folder: string, file: ListedFile): Promise<FolderProblem | undefined> =>
  withFile(folder, file, hasItsContent(file));

const hasItsContent =
  ({ size, sha256 }: ListedFile) =>
  async (handle: FileHandle): Promise<boolean> =>
    (await hashOf(handle, size)) === sha256;

/** Its size is looked at in any case. */
const hasContent = (_handle: FileHandle): Promise<boolean> => Promise.resolve(true);

async function withFile(
  folder: string,
  file: ListedFile,
  isRight: (handle: FileHandle) => Promise<boolean>,
): Promise<FolderProblem | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(
      path.join(folder, file.path),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch (error) {
    const isAbsent = hasErrorCode(error, 'ENOENT');
    return { kind: isAbsent ? 'missing' : 'not-a-file', path: file.path };
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) return { kind: 'not-a-file', path: file.path };
    if (status.size !== file.size || !(await isRight(handle))) return { kind: 'changed', path: file.path };
    return undefined;
  } catch {
    return { kind: 'changed', path: file.path };
  } finally {
    await handle.close();
  }
}

const chunkBytes = 1 << 17;

/** Undefined if there are more bytes than `size`. */
async function hashOf(handle: FileHandle, size: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size + 1));
  let left = size;
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return hash.digest('hex');
    left -= bytesRead;
    if (left < 0) return undefined;
    hash.update(chunk.subarray(0, bytesRead));
  }
}

/** Everything in a folder but the folders in it. */
async function listFolder(folder: string): Promise<{ path: string; isRegular: boolean }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({
      path: path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'),
      isRegular: entry.isFile(),
    }));
}

/** Undefined if the file cannot be read, is no regular file or has more bytes than that. */
async function readBounded(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (!status.isFile() || status.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return bytesRead > maxBytes ? undefined : buffer.subarray(0, bytesRead);
  } catch {
    return undefined;
  }
}
