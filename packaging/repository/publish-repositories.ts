import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { refuseTestPackages } from '../linux/refuse-test-packages.ts';
import { publishToApt } from './apt-repository.ts';
import { isTestKey, openPgpKey } from './open-pgp-key.ts';
import { publishToRpm } from './rpm-repository.ts';

/** A key that expires within this time locks users out: they have the key that they installed with. */
const shortestKeyLifeMs = 2 * 365 * 24 * 3_600_000;

const publicKeyFile = 'waymaker.asc';

/**
 * Adds the packages in a folder to the repositories in `folder`/apt and `folder`/rpm, all static files, and writes
 * there what users need to use them. Without `keyFile`, they are signed with a new key that is for tests only. Throws
 * before anything is changed if the key cannot be used, if a package is for tests only while the key is not, or if the
 * key is while users have a real one, and on a package that was published with other content.
 */
export async function publishRepositories(options: {
  /** The folder of packages. */
  packages: string;
  folder: string;
  /** The address that `folder` will have. */
  url: string;
  /** A file with the secret OpenPGP key, as ASCII armour, without a passphrase. */
  keyFile: string | undefined;
  now: Date;
  say: (line: string) => void;
}): Promise<void> {
  const { folder, keyFile, now, say } = options;
  const url = options.url.replace(/\/+$/, '');
  if (URL.parse(url) === null) throw new Error(`${url} is not an address`);
  const files = (await readdir(options.packages)).toSorted().map((name) => path.join(options.packages, name));
  const debs = files.filter((file) => file.endsWith('.deb'));
  const rpms = files.filter((file) => file.endsWith('.rpm'));
  if (debs.length + rpms.length === 0)
    throw new Error(`there is no package in ${options.packages}: make some with npm run package`);

  await using key = await openPgpKey(keyFile);
  const published = path.join(folder, publicKeyFile);
  if (!key.isTest) await refuseTestPackages(files);
  else if (existsSync(published) && !(await isTestKey(published)))
    throw new Error(
      `WAYMAKER_REPOSITORY_KEY is missing: what is published in ${folder} is signed with a real key, which users have`,
    );
  if (key.expires !== undefined && key.expires * 1000 < now.getTime() + shortestKeyLifeMs)
    throw new Error('the key expires within two years, and users would no longer get updates: extend it');
  if (key.isTest) say('signed with a key for tests: set WAYMAKER_REPOSITORY_KEY to the file of a real one');
  for (const [name, packages, publish] of [
    ['apt', debs, publishToApt],
    ['rpm', rpms, publishToRpm],
  ] as const) {
    const one = path.join(folder, name);
    if (packages.length === 0) {
      say(`${name}: left as it is, there are no packages for it`);
      continue;
    }
    await mkdir(one, { recursive: true });
    await publish({ folder: one, packages, url: `${url}/${name}`, key, now });
    say(`${name}: ${packages.length} packages, ${one}`);
  }
  await writeFile(published, key.publicKey);
}
