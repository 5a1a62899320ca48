import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { publishRepositories } from '../../../packaging/repository/publish-repositories.ts';
import { run } from '../../../packaging/run.ts';
import { aptOptions, exportNewKey, makeSampleDeb, makeSampleRpm } from './support/sample-packages.ts';

let scratch: string;
/** The secret key that all publications here are signed with. */
let keyFile: string;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'waymaker-repositories-'));
  keyFile = path.join(scratch, 'key.asc');
  await exportNewKey(keyFile);
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

async function publish(
  name: string,
  packages: string,
): Promise<{ folder: string; url: string; said: string }> {
  const folder = path.join(scratch, name);
  const url = `file://${folder}`;
  const said: string[] = [];
  const now = new Date();
  await publishRepositories({ packages, folder, url, keyFile, now, say: (line) => said.push(line) });
  return { folder, url, said: said.join('\n') };
}

/** What apt says of the versions that it could install, from these sources alone; its messages if it refuses. */
async function versionsByApt(sources: string): Promise<{ ok: boolean; text: string }> {
  const state = await mkdtemp(path.join(scratch, 'apt-'));
  await mkdir(path.join(state, 'lists/partial'), { recursive: true });
  await mkdir(path.join(state, 'cache/archives/partial'), { recursive: true });
  await mkdir(path.join(state, 'sources'));
  await writeFile(path.join(state, 'sources/waymaker.sources'), sources);
  await writeFile(path.join(state, 'status'), '');
  const options = aptOptions(state);
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const update = await promisify(execFile)('apt-get', [
    ...given,
    '-o',
    'APT::Update::Error-Mode=any',
    'update',
  ])
    .then(({ stderr }) => ({ ok: true, text: stderr }))
    .catch((error: { stderr: string }) => ({ ok: false, text: error.stderr }));
  if (!update.ok) return update;
  return { ok: true, text: await run('apt-cache', [...given, 'madison', 'waymaker-sample']) };
}

async function versionsByDnf(repo: string): Promise<{ ok: boolean; text: string }> {
  const state = await mkdtemp(path.join(scratch, 'dnf-'));
  await mkdir(path.join(state, 'repos'));
  await writeFile(path.join(state, 'repos/waymaker.repo'), repo);
  const words = [
    '--quiet',
    '--assumeyes',
    `--installroot=${path.join(state, 'root')}`,
    '--releasever=41',
    '--setopt=skip_if_unavailable=False',
    `--setopt=reposdir=${path.join(state, 'repos')}`,
    `--setopt=cachedir=${path.join(state, 'cache')}`,
    'repoquery',
    '--queryformat=%{name} %{version}',
    'waymaker-sample',
  ];
  return promisify(execFile)('dnf', words)
    .then(({ stdout }) => ({ ok: true, text: stdout }))
    .catch((error: { stderr: string; stdout: string }) => ({ ok: false, text: error.stderr + error.stdout }));
}

describe('the apt repository', () => {
  test('apt finds every version that was published, with nothing but the sources file, also after it has read an earlier index', async () => {
    const packages = path.join(scratch, 'debs');
    await makeSampleDeb(scratch, packages, '1.0');
    const { folder } = await publish('apt-both', packages);
    const release = path.join(folder, 'apt/dists/stable');
    const [, earlier = ''] = /^ ([\da-f]{64}) \d+ main\/binary-amd64\/Packages$/m.exec(
      await readFile(path.join(release, 'Release'), 'utf8'),
    ) ?? [''];
    await rm(packages, { recursive: true });
    await makeSampleDeb(scratch, packages, '1.1');
    const { said } = await publish('apt-both', packages);
    expect(said).not.toContain('for tests');
    const sources = await readFile(path.join(folder, 'apt/waymaker.sources'), 'utf8');
    const { ok, text } = await versionsByApt(sources);
    expect(ok, text).toBe(true);
    expect(text).toMatch(/1\.1[\s\S]*1\.0/);

    const named = await readFile(path.join(release, 'main/binary-amd64/by-hash/SHA256', earlier), 'utf8');
    expect(named, 'for whoever has read the index before').toContain('Version: 1.0');
    expect(named).not.toContain('Version: 1.1');
  });

  if (isExhaustive)
    test.each([
      ['an index that somebody changed', 'main/binary-amd64/Packages.gz'],
      ['a changed list of indexes', 'InRelease'],
    ])('%s is refused', async (_what, name) => {
      const packages = path.join(scratch, `debs-${path.basename(name)}`);
      await makeSampleDeb(scratch, packages, '1.0');
      const { folder } = await publish(`apt-${path.basename(name)}`, packages);
      const sources = await readFile(path.join(folder, 'apt/waymaker.sources'), 'utf8');
      expect((await versionsByApt(sources)).ok).toBe(true);
      const release = path.join(folder, 'apt/dists/stable');
      const files = [path.join(release, name)];
      // By its hash, too.
      if (name.endsWith('.gz')) {
        const byHash = path.join(release, path.dirname(name), 'by-hash/SHA256');
        files.push(...(await readdir(byHash)).map((hash) => path.join(byHash, hash)));
      }
      for (const file of files) {
        const content = await readFile(file);
        const middle = content.length >> 1;
        content[middle] = (content[middle] ?? 0) ^ 1;
        await writeFile(file, content);
      }
      expect((await versionsByApt(sources)).ok).toBe(false);
    });

  test('a copy of the repository elsewhere is a mirror, with another address in the sources file', async () => {
    const packages = path.join(scratch, 'mirrored-debs');
    await makeSampleDeb(scratch, packages, '1.0');
    const { folder } = await publish('original', packages);
    const mirror = path.join(scratch, 'mirror');
    await rename(folder, mirror);
    const sources = await readFile(path.join(mirror, 'apt/waymaker.sources'), 'utf8');
    expect((await versionsByApt(sources)).ok, 'at the old address').toBe(false);
    const { ok, text } = await versionsByApt(sources.replace(folder, mirror));
    expect(ok, text).toBe(true);
    expect(text).toContain('1.0');
  });

  test('signed with another key than the one in the sources file, it is refused', async () => {
    const packages = path.join(scratch, 'debs-foreign');
    await makeSampleDeb(scratch, packages, '1.0');
    const { folder } = await publish('apt-foreign', packages);
    const sources = await readFile(path.join(folder, 'apt/waymaker.sources'), 'utf8');
    const other = path.join(scratch, 'other.asc');
    await exportNewKey(other);
    const given = { packages, folder, url: `file://${folder}`, now: new Date(), say: () => undefined };
    await publishRepositories({ ...given, keyFile: other });
    const { ok, text } = await versionsByApt(sources);
    expect(ok).toBe(false);
    expect(text).toContain('NO_PUBKEY');
  });
});

describe('the rpm repository', () => {
  test('dnf finds every version that was published, and each package is signed', async () => {
    const packages = path.join(scratch, 'rpms');
    await makeSampleRpm(scratch, packages, '1.0');
    await publish('rpm-both', packages);
    await makeSampleRpm(scratch, packages, '1.1');
    const { folder } = await publish('rpm-both', packages);
    const repo = await readFile(path.join(folder, 'rpm/waymaker.repo'), 'utf8');
    const { ok, text } = await versionsByDnf(repo);
    expect(ok, text).toBe(true);
    expect(text.trim().split('\n').toSorted()).toEqual(['waymaker-sample 1.0', 'waymaker-sample 1.1']);
    const database = path.join(scratch, 'rpm-keys');
    await run('rpm', ['--dbpath', database, '--import', path.join(folder, 'rpm/RPM-GPG-KEY-waymaker')]);
    for (const name of await readdir(path.join(folder, 'rpm/packages'))) {
      const file = path.join(folder, 'rpm/packages', name);
      expect(await run('rpm', ['--dbpath', database, '--checksig', file])).toContain('signatures OK');
    }
  });

  if (isExhaustive)
    test('a changed list of indexes is refused', async () => {
      const packages = path.join(scratch, 'rpms-changed');
      await makeSampleRpm(scratch, packages, '1.0');
      const { folder } = await publish('rpm-changed', packages);
      const index = path.join(folder, 'rpm/repodata/repomd.xml');
      await writeFile(index, `${await readFile(index, 'utf8')}\n`);
      const { ok } = await versionsByDnf(await readFile(path.join(folder, 'rpm/waymaker.repo'), 'utf8'));
      expect(ok).toBe(false);
    });
});

describe('what would strand users is not published', () => {
  test('a version that has been published with other content', async () => {
    const packages = path.join(scratch, 'again');
    await makeSampleDeb(scratch, packages, '1.0');
    await makeSampleRpm(scratch, packages, '1.0');
    const { folder } = await publish('again', packages);
    const read = async () => readFile(path.join(folder, 'apt/dists/stable/InRelease'), 'utf8');
    const before = await read();
    await makeSampleDeb(scratch, packages, '1.0', 'other');
    await expect(publish('again', packages)).rejects.toThrow('has been published already');
    expect(await read()).toBe(before);
    await rm(path.join(packages, 'waymaker-sample_1.0_amd64.deb'));
    await makeSampleRpm(scratch, packages, '1.0', 'other');
    await expect(publish('again', packages)).rejects.toThrow('has been published already');
  });

  test('with a key that expires soon', async () => {
    const packages = path.join(scratch, 'expiring');
    await makeSampleDeb(scratch, packages, '1.0');
    const home = await mkdtemp(path.join(tmpdir(), 'wm-gpg-'));
    const gpg = ['--batch', '--homedir', home];
    await run('gpg', [...gpg, '--passphrase', '', '--quick-generate-key', 'soon', 'rsa2048', 'sign', '1y']);
    const soon = path.join(scratch, 'soon.asc');
    await writeFile(soon, await run('gpg', [...gpg, '--armor', '--export-secret-keys']));
    await run('gpgconf', ['--homedir', home, '--kill', 'all']);
    await rm(home, { recursive: true, force: true });
    const folder = path.join(scratch, 'soon');
    const given = {
      packages,
      folder,
      url: 'https://packages.example',
      now: new Date(),
      say: () => undefined,
    };
    await expect(publishRepositories({ ...given, keyFile: soon })).rejects.toThrow(
      'expires within two years',
    );
    expect(await readdir(scratch)).not.toContain('soon');
  });

  test.each(['deb', 'rpm'])('where a %s is for tests only and the key is not', async (format) => {
    const packages = path.join(scratch, `tests-${format}`);
    const make = format === 'deb' ? makeSampleDeb : makeSampleRpm;
    await make(scratch, packages, '3.0', 'For tests only: a sample');
    await expect(publish(`published-tests-${format}`, packages)).rejects.toThrow('is for tests only');
    expect(await readdir(scratch)).not.toContain(`published-tests-${format}`);
    const given = {
      packages,
      folder: path.join(scratch, `own-tests-${format}`),
      url: 'https://packages.example',
    };
    await publishRepositories({ ...given, keyFile: undefined, now: new Date(), say: () => undefined });
    expect(await readdir(given.folder)).toContain('waymaker.asc');
  });

  test('with a key for tests, where users have been given a real one', async () => {
    const packages = path.join(scratch, 'forgotten-key');
    await makeSampleDeb(scratch, packages, '1.0');
    const { folder, url } = await publish('forgotten', packages);
    const read = async () => readFile(path.join(folder, 'waymaker.asc'), 'utf8');
    const before = await read();
    const given = { packages, folder, url, now: new Date(), say: () => undefined };
    await expect(publishRepositories({ ...given, keyFile: undefined })).rejects.toThrow(
      'WAYMAKER_REPOSITORY_KEY is missing',
    );
    expect(await read()).toBe(before);
    // One that was only ever for tests can be published again.
    const own = { ...given, folder: path.join(scratch, 'forgotten-tests'), keyFile: undefined };
    await publishRepositories(own);
    await publishRepositories(own);
  });

  test('where there is no package', async () => {
    const packages = path.join(scratch, 'none');
    await mkdir(packages);
    await expect(publish('none-published', packages)).rejects.toThrow('there is no package');
  });
});
