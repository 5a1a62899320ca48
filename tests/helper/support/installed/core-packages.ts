import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { makeCore, type Format } from '../../../../packaging/linux/core-package.ts';
import { product } from '../../../../packaging/linux/package-facts.ts';
import { makeOwnedDirectory } from '../../../lab/runs/owned-directory.ts';
import { packageOptions } from './package-options.ts';

/** What packages are made of is fetched once. */
const fetched = path.resolve(import.meta.dirname, '../../../../out/packages/tests/.fetched');

/** The product's version, and the one that comes after it. */
export const versions = {
  current: product.version,
  next: product.version.replace(/\d+$/, (last) => `${Number(last) + 1}`),
};

/** Makes the Debian package of `waymaker-core` for this machine, in a folder of its own; resolves with its path. */
export const makeCoreDeb = (version?: string): Promise<string> => makeCorePackage('deb', version);

/** The same as an rpm. */
export const makeCoreRpm = (version?: string): Promise<string> => makeCorePackage('rpm', version);

const folders = new Map<string, string>();

/**
 * A folder of this process to make packages in, with what they are made of: others make the same packages at the same
 * time, and the bundles in them.
 */
export async function packagesFolder(name: string): Promise<string> {
  const known = folders.get(name);
  if (known !== undefined) return known;
  const folder = makeOwnedDirectory('packages');
  folders.set(name, folder);
  await mkdir(fetched, { recursive: true });
  await symlink(fetched, path.join(folder, '.fetched'));
  return folder;
}

async function makeCorePackage(format: Format, version: string = versions.current): Promise<string> {
  const folder = await packagesFolder(`${version}-${format}`);
  const made = await makeCore({
    ...(await packageOptions()),
    formats: [format],
    folder,
    version,
  });
  const file = made.find((one) => one.endsWith(`.${format}`));
  if (file === undefined) throw new Error(`there is no ${format}`);
  return file;
}
