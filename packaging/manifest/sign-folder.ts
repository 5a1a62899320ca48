import { createHash, type KeyObject } from 'node:crypto';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  manifestFile,
  readManifest,
  signatureFile,
  type Manifest,
} from '../../src/node/manifest/manifest.ts';
import { signText } from '../../src/node/manifest/signatures.ts';

/**
 * Writes the manifest of a folder of programs into it, and the signatures beside it. Throws if the folder holds
 * anything but folders and regular files, which no manifest describes.
 */
export async function signFolder(options: {
  folder: string;
  product: string;
  version: string;
  privateKeys: readonly KeyObject[];
}): Promise<void> {
  const { folder, product, version, privateKeys } = options;
  const files: Manifest['files'] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const one = name.replaceAll(path.sep, '/');
    if (one === manifestFile || one === signatureFile) continue;
    const file = path.join(folder, name);
    const status = await lstat(file);
    if (status.isDirectory()) continue;
    if (!status.isFile()) throw new Error(`${one} is no regular file`);
    const content = await readFile(file);
    const sha256 = createHash('sha256').update(content).digest('hex');
    files.push({ path: one, size: content.length, sha256 });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const manifest: Manifest = { format: 1, product, version, files };
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  if (!readManifest(text)) throw new Error(`no manifest can be made of ${folder}`);
  await writeFile(path.join(folder, manifestFile), text, { mode: 0o644 });
  const signatures = signText(Buffer.from(text), 'manifest', privateKeys);
  await writeFile(path.join(folder, signatureFile), signatures, { mode: 0o644 });
}
