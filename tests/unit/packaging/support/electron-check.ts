import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resourceIn } from './program-resources.ts';

/** A file or folder in an archive's header. */
interface Entry {
  files?: Record<string, Entry>;
  /** From the end of the header, in bytes. */
  offset?: string;
  size?: number;
  unpacked?: boolean;
  integrity?: { algorithm: string; hash: string; blockSize: number; blocks: string[] };
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/**
 * What Electron for Windows would end with if it read every file of the archives beside its program, by what its source
 * says (shell/common/asar/archive_win.cc, archive.cc and asar_util.cc, version 45); undefined: nothing.
 */
export function complaintOfElectron(program: string): string | undefined {
  const resource = resourceIn(program, 'Integrity', 'ElectronAsar');
  if (!resource) return 'FindResource failed';
  const hashes = new Map(
    (JSON.parse(resource.toString()) as { file: string; alg: string; value: string }[])
      .filter(({ alg }) => alg.toLowerCase() === 'sha256')
      .map(({ file, value }) => [file.toLowerCase(), value.toLowerCase()]),
  );
  const folder = path.dirname(program);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.asar')) continue;
    const wanted = hashes.get(file.split(path.sep).join('\\').toLowerCase());
    if (wanted === undefined) return `no hash for ${file}`;
    const archive = readFileSync(path.join(folder, file));
    // Two pickles of Chromium's: the size of the second, which has a text.
    const header = archive.subarray(16, 16 + archive.readUInt32LE(12));
    if (sha256(header) !== wanted) return `the header of ${file}`;
    const content = archive.subarray(8 + archive.readUInt32LE(4));
    const wrong = wrongFile(JSON.parse(header.toString()) as Entry, content);
    if (wrong !== undefined) return `${wrong} in ${file}`;
  }
  return undefined;
}

/** The first file whose content is not what the header says; undefined if there is none. */
function wrongFile({ files = {} }: Entry, content: Buffer, place = ''): string | undefined {
  for (const [name, entry] of Object.entries(files)) {
    const file = `${place}/${name}`;
    const wrong = entry.files
      ? wrongFile(entry, content, file)
      : entry.unpacked || isAsSaid(entry, content)
        ? undefined
        : file;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isAsSaid({ offset, size = 0, integrity }: Entry, content: Buffer): boolean {
  if (!integrity || offset === undefined) return false;
  const bytes = content.subarray(Number(offset), Number(offset) + size);
  const { blockSize, blocks, hash } = integrity;
  const made = Array.from({ length: Math.max(1, Math.ceil(size / blockSize)) }, (_, index) =>
    sha256(bytes.subarray(index * blockSize, (index + 1) * blockSize)),
  );
  return sha256(bytes) === hash && made.join() === blocks.join();
}
