import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../run.ts';
import { addToPool } from './add-to-pool.ts';
import type { OpenPgpKey } from './open-pgp-key.ts';

/**
 * Adds packages to the rpm repository in `folder`, or begins one: a folder of static files for all processors, of which
 * dnf takes what fits. Each package is signed, and so is their index. Older versions stay.
 */
export async function publishToRpm(options: {
  folder: string;
  /** Files of packages; what is published is a signed copy. */
  packages: readonly string[];
  /** The address that `folder` will have. */
  url: string;
  key: OpenPgpKey;
}): Promise<void> {
  const { folder, packages, url, key } = options;
  const pool = path.join(folder, 'packages');
  await mkdir(pool, { recursive: true });
  const scratch = await mkdtemp(path.join(tmpdir(), 'waymaker-rpm-'));
  try {
    for (const file of packages) {
      const copy = path.join(scratch, path.basename(file));
      await copyFile(file, copy);
      await sign(copy, key);
      await addSigned(copy, pool);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  // Names of indexes contain their hashes, and older ones are kept for whoever has read only the list of them so far.
  const words = ['--quiet', '--retain-old-md=1', '--general-compress-type=gz', '--no-database'];
  await run('createrepo_c', [...words, folder]);
  const index = path.join(folder, 'repodata/repomd.xml');
  const signature = `${index}.asc`;
  await key.signDetached(index, `${signature}.new`);
  await rename(`${signature}.new`, signature);
  await writeFile(path.join(folder, 'RPM-GPG-KEY-waymaker'), key.publicKey);
  await writeFile(path.join(folder, 'waymaker.repo'), repoText(url));
}

/** Not every distribution's rpm has gpg where its own default says. */
const gpg = '/usr/bin/gpg';

async function sign(file: string, key: OpenPgpKey): Promise<void> {
  const definitions = {
    __gpg: gpg,
    _gpg_path: key.home,
    _gpg_name: key.fingerprint,
    _gpg_digest_algo: 'sha512',
  };
  const defined = Object.entries(definitions).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  await run('rpmsign', [...defined, '--addsign', file]);
}

/** A signature has its time in it, so that only what is signed can be compared with what was published before. */
async function addSigned(file: string, pool: string): Promise<void> {
  const name = path.basename(file);
  const published = await readdir(pool);
  if (!published.includes(name)) {
    await addToPool(file, pool);
    return;
  }
  const [before, now] = await Promise.all([path.join(pool, name), file].map(contentHash));
  if (before !== now)
    throw new Error(`${name} has been published already with other content: publish a new version`);
}

/** A package's header has the hash of its payload, and this is the header's. */
const contentHash = (file: string) =>
  run('rpm', ['-qp', '--nosignature', '--queryformat', '%{SHA256HEADER}', file]);

const repoText = (url: string) =>
  [
    '[waymaker]',
    'name=Waymaker',
    `baseurl=${url}`,
    'enabled=1',
    'gpgcheck=1',
    'repo_gpgcheck=1',
    `gpgkey=${url}/RPM-GPG-KEY-waymaker`,
    '',
  ].join('\n');
