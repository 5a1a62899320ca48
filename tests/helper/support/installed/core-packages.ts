import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { makeCore } from '../../../../packaging/linux/core-package.ts';
import { product } from '../../../../packaging/linux/package-facts.ts';
import { signingKeys } from '../../../../packaging/manifest/signing-keys.ts';
import type { Processor } from '../../../../packaging/runtime/processors.ts';

const packages = path.resolve(import.meta.dirname, '../../../../out/packages/tests');

/** The product's version, and the one that comes after it. */
export const versions = {
  current: product.version,
  next: product.version.replace(/\d+$/, (last) => `${Number(last) + 1}`),
};

/** Makes the Debian package of `waymaker-core` for this machine, in a folder of its own; resolves with its path. */
export async function makeCoreDeb(version: string = versions.current): Promise<string> {
  const folder = path.join(packages, version);
  await mkdir(folder, { recursive: true });
  const made = await makeCore({
    processor: process.arch as Processor,
    formats: ['deb'],
    folder,
    time: 1_700_000_000,
    compression: 'fast',
    keys: await signingKeys({}),
    version,
    progress: () => undefined,
  });
  const deb = made.find((file) => file.endsWith('.deb'));
  if (deb === undefined) throw new Error('there is no Debian package');
  return deb;
}
