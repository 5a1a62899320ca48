import { sign, type KeyObject } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { refuseTestPackages } from './linux/refuse-test-packages.ts';
import { hashOf } from './linux/tree-files.ts';

const hashesFile = 'SHA256SUMS';
const signatureFile = 'SHA256SUMS.sig';

/**
 * Writes the hashes of all files in a folder of packages into it, as sha256sum(1) checks them, and signs them with the
 * private ed25519 key, as `openssl pkeyutl -verify -rawin` checks it. Without a key, an earlier signature is removed,
 * and both files where there is no package. Resolves with the paths of what was written. Throws where a key would sign
 * a package for tests, such as one from before.
 */
export async function writeHashes(folder: string, privateKey: KeyObject | undefined): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isFile() && isPackaged(entry.name) ? [entry.name] : []));
  if (privateKey) await refuseTestPackages(names.map((name) => path.join(folder, name)));
  const lines: string[] = [];
  for (const name of names.sort())
    lines.push(`${await hashOf(path.join(folder, name), 'sha256')}  ${name}\n`);
  const [hashes, signature] = [hashesFile, signatureFile].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  if (lines.length === 0) {
    for (const file of [hashes, signature]) await rm(file, { force: true });
    return [];
  }
  const text = lines.join('');
  await writeFile(hashes, text);
  if (privateKey === undefined) {
    await rm(signature, { force: true });
    return [hashes];
  }
  await writeFile(signature, sign(null, Buffer.from(text), privateKey));
  return [hashes, signature];
}

const isPackaged = (name: string) => name !== hashesFile && name !== signatureFile;
