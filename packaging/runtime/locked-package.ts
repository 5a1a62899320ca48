import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * The lockfile of the app; that of the runtimes, not all of which a development machine needs; and that of a package of
 * which only files are taken, and so none of its dependencies.
 */
const lockfiles = [
  'package-lock.json',
  'packaging/runtime/package-lock.json',
  'packaging/runtime/wintun-lock.json',
].map((file) => path.join(root, file));

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ name: z.optional(z.string()), version: z.optional(z.string()) }),
  ),
});
const lockedEntry = z.object({
  name: z.optional(z.string()),
  version: z.string(),
  integrity: z.string(),
  license: z.optional(z.string()),
});
type LockedEntry = z.infer<typeof lockedEntry>;

/**
 * What a lockfile of this repository says of an npm package, in that version or else of the one that everything finds.
 * Throws if none mentions it.
 */
export async function lockedPackage(name: string, version?: string): Promise<LockedEntry> {
  const own = `node_modules/${name}`;
  for (const file of lockfiles) {
    const { packages } = lockfile.parse(JSON.parse(await readFile(file, 'utf8')));
    const found = Object.entries(packages).find(([place, entry]) =>
      version === undefined
        ? place === own
        : entry.version === version && (`/${place}`.endsWith(`/${own}`) || entry.name === name),
    );
    if (found) return lockedEntry.parse(found[1]);
  }
  throw new Error(`no lockfile mentions ${name} ${version ?? ''}`.trim());
}

/**
 * The folder of an npm package for any processor, as a lockfile pins it: npm refuses other bytes. Fetched once into
 * `folder`, without running its install scripts.
 */
export async function fetchLockedPackage(name: string, folder: string): Promise<string> {
  const entry = await lockedPackage(name);
  const mark = createHash('sha256').update(entry.integrity).digest('hex').slice(0, 16);
  const kept = path.join(folder, `${name.replace('/', '+')}-${entry.version}-${mark}`);
  if (!existsSync(kept)) {
    await mkdir(folder, { recursive: true });
    const scratch = await mkdtemp(path.join(folder, 'new-'));
    try {
      await install(name, entry, scratch);
      await rename(path.join(scratch, 'node_modules', name), kept).catch((error: unknown) => {
        // Somebody else has fetched the same bytes meanwhile.
        if (!existsSync(kept)) throw error;
      });
    } finally {
      await rm(scratch, { recursive: true });
    }
  }
  return kept;
}

async function install(name: string, entry: LockedEntry, folder: string): Promise<void> {
  const alone = { name: 'scratch', version: '0.0.0', dependencies: { [name]: entry.version } };
  const { version, integrity } = entry;
  const lock = {
    ...alone,
    lockfileVersion: 3,
    requires: true,
    packages: { '': alone, [`node_modules/${name}`]: { version, integrity } },
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(alone));
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  // It may be for another processor than this machine's.
  const words = ['ci', '--ignore-scripts', '--force', '--prefer-offline', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', [...words, '--loglevel=error'], { cwd: folder });
}
