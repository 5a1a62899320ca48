import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where the set-up puts the files of packages that are not to be installed on this machine. */
const unpacked = path.resolve(import.meta.dirname, '../../../node_modules/.debian');

/** The directory with the files of a Debian package of `unpackedPackages` in scripts/setup.js. */
export function unpackedPackage(name: string): string {
  const directory = path.join(unpacked, name);
  if (!existsSync(directory))
    throw new Error(`the files of ${name} are not there: the set-up could not get them`);
  return directory;
}
