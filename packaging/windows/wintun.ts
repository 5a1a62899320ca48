import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fetchLockedPackage } from '../runtime/locked-package.ts';
import { processors, type Processor } from '../runtime/processors.ts';

/** The npm package that has Wintun's official libraries in it, unchanged. */
const wintunPackage = 'appium-ios-tuntap';
const wintunVersion = '0.14.1';

/** SHA-256 of wintun.dll in https://www.wintun.net/builds/wintun-0.14.1.zip, which its makers have signed. */
const hashes: Readonly<Record<Processor, string>> = {
  x64: 'e5da8447dc2c320edc0fc52fa01885c103de8c118481f683643cacc3220dafce',
  arm64: 'f7ba89005544be9d85231a9e0d5f23b2d15b3311667e2dad0debd344918a3f80',
};

/**
 * The files of Wintun for one processor: the library, and its licence, which has to be beside it. Rejects other bytes.
 */
export async function fetchWintun(
  processor: Processor,
  folder: string,
): Promise<{ library: string; licence: string }> {
  const vendor = path.join(await fetchLockedPackage(wintunPackage, folder), 'vendor/wintun');
  const library = path.join(vendor, 'bin', processors[processor].wintun, 'wintun.dll');
  await expectWintun(library, processor);
  return { library, licence: path.join(vendor, 'LICENSE.txt') };
}

/** Rejects if the file is not the official library for that processor. */
export async function expectWintun(library: string, processor: Processor): Promise<void> {
  const found = createHash('sha256')
    .update(await readFile(library))
    .digest('hex');
  if (found !== hashes[processor])
    throw new Error(`${library} is not the official Wintun ${wintunVersion} for ${processor}`);
}
