import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { processors } from '../runtime/processors.ts';
import { run } from '../run.ts';
import { addToPool } from './add-to-pool.ts';
import type { OpenPgpKey } from './open-pgp-key.ts';

/** The only suite: every Debian and everything made from it gets the same packages. */
const suite = 'stable';
const component = 'main';
const architectures = Object.values(processors).map(({ debian }) => debian);

/**
 * Adds packages to the apt repository in `folder`, or begins one: a folder of static files. Older versions stay.
 * Whoever reads the old index while the new one is being copied still gets what it names, by its hash: those of the
 * publication before are kept. Without `Valid-Until`: who publishes seldom would lock users out.
 */
export async function publishToApt(options: {
  folder: string;
  /** Files of packages. */
  packages: readonly string[];
  /** The address that `folder` will have. */
  url: string;
  key: OpenPgpKey;
  /** The time of publishing. */
  now: Date;
}): Promise<void> {
  const { folder, packages, url, key, now } = options;
  const pool = path.join(folder, 'pool', component, 'w/waymaker');
  for (const file of packages) await addToPool(file, pool);
  const dists = path.join(folder, 'dists');
  const next = path.join(folder, 'dists.new');
  await rm(next, { recursive: true, force: true });
  const release = path.join(next, suite);
  const indexes = [];
  for (const architecture of architectures) {
    const words = ['--arch', architecture, 'packages', path.relative(folder, pool)];
    const text = await run('apt-ftparchive', words, { cwd: folder });
    const place = path.join(component, `binary-${architecture}`);
    for (const [name, content] of [
      ['Packages', Buffer.from(text)],
      ['Packages.gz', gzipSync(text, { level: 9 })],
    ] as const) {
      indexes.push({ name: path.join(place, name), content });
    }
  }
  for (const { name, content } of indexes) {
    const byHash = path.join(release, path.dirname(name), 'by-hash/SHA256');
    await mkdir(byHash, { recursive: true });
    await writeFile(path.join(release, name), content);
    await writeFile(path.join(byHash, sha256(content)), content);
  }
  await keepEarlierIndexes(path.join(dists, suite), release);
  await writeFile(path.join(release, 'Release'), releaseText(indexes, now));
  await key.signDetached(path.join(release, 'Release'), path.join(release, 'Release.gpg'));
  await key.signInline(path.join(release, 'Release'), path.join(release, 'InRelease'));
  await rm(dists, { recursive: true, force: true });
  await rename(next, dists);
  await writeFile(path.join(folder, 'waymaker.sources'), sourcesText(url, key.publicKey));
}

interface Index {
  /** Its path below the suite. */
  name: string;
  content: Buffer;
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

function releaseText(indexes: readonly Index[], now: Date): string {
  const lines = indexes.map(({ name, content }) => ` ${sha256(content)} ${content.length} ${name}`);
  return [
    'Origin: Waymaker',
    'Label: Waymaker',
    `Suite: ${suite}`,
    `Codename: ${suite}`,
    `Architectures: ${architectures.join(' ')}`,
    `Components: ${component}`,
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    'Acquire-By-Hash: yes',
    'Description: The network access app Waymaker',
    'SHA256:',
    ...lines,
    '',
  ].join('\n');
}

/** Copies the indexes that the Release file of the publication before names, for whoever has read only that so far. */
async function keepEarlierIndexes(from: string, to: string): Promise<void> {
  const release = await readFile(path.join(from, 'Release'), 'utf8').catch(() => '');
  for (const [, hash = '', name = ''] of release.matchAll(/^ ([\da-f]{64}) \d+ (\S+)$/gm)) {
    const place = path.join(path.dirname(name), 'by-hash/SHA256', hash);
    if (existsSync(path.join(from, place))) await copyFile(path.join(from, place), path.join(to, place));
  }
}

/** Where apt finds the packages, with the key that they must be signed with (sources.list(5), deb822 style). */
function sourcesText(url: string, publicKey: string): string {
  const key = publicKey
    .trim()
    .split('\n')
    .map((line) => (line === '' ? ' .' : ` ${line}`));
  return [
    'X-Repolib-Name: Waymaker',
    'Types: deb',
    `URIs: ${url}`,
    `Suites: ${suite}`,
    `Components: ${component}`,
    `Architectures: ${architectures.join(' ')}`,
    'Signed-By:',
    ...key,
    '',
  ].join('\n');
}
