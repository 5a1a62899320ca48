import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishRepositories } from '../../../packaging/repository/publish-repositories.ts';
import { aptOptions, exportNewKey, makeSampleDeb, makeSampleRpm } from './support/sample-packages.ts';

/**
 * What apt and dnf do with a repository that is down, or of which only a part is there: a clear line, nothing half
 * done.
 */

let scratch: string;
let published: string;
let server: Server;
let address: string;

/** What becomes of an answer whose path matches. */
type Trouble = { of: RegExp; how: 'absent' | 'cut short' | 'broken off' | 'broken service' };
let trouble: Trouble | undefined;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'waymaker-repository-trouble-'));
  published = path.join(scratch, 'published');
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const how = trouble?.of.test(pathname) ? trouble.how : undefined;
    readFile(path.join(published, pathname)).then(
      (content) => {
        const half = content.subarray(0, content.length >> 1);
        if (how === 'absent') response.writeHead(404).end();
        else if (how === 'broken service') response.writeHead(503).end('<h1>Service Unavailable</h1>');
        else if (how === 'cut short') response.end(half);
        else if (how === 'broken off')
          response.writeHead(200, { 'content-length': content.length }).write(half, () => response.destroy());
        else response.end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const packages = path.join(scratch, 'packages');
  await makeSampleDeb(scratch, packages, '1.0');
  await makeSampleRpm(scratch, packages, '1.0');
  const keyFile = path.join(scratch, 'key.asc');
  await exportNewKey(keyFile);
  const given = { packages, folder: published, url: address, keyFile, now: new Date() };
  await publishRepositories({ ...given, say: () => undefined });
});

afterAll(async () => {
  server.close();
  await rm(scratch, { recursive: true, force: true });
});

interface Outcome {
  code: number;
  /** What it said. */
  text: string;
  /** What is there afterwards. */
  got: string[];
}

function run(program: string, words: readonly string[]): Promise<{ code: number; text: string }> {
  // Nobody else's proxy.
  const env = { PATH: process.env['PATH'], HOME: scratch, LC_ALL: 'C' };
  return new Promise((resolve) => {
    execFile(program, words, { env }, (error, stdout, stderr) => {
      const code = error && typeof error.code === 'number' ? error.code : error ? -1 : 0;
      resolve({ code, text: `${stdout}\n${stderr}` });
    });
  });
}

/** As the README says, `apt-get update && apt-get install`, but only as far as the package's file. */
async function byApt(url = address): Promise<Outcome> {
  const state = await mkdtemp(path.join(scratch, 'apt-'));
  const archives = path.join(state, 'cache/archives');
  await mkdir(path.join(state, 'lists/partial'), { recursive: true });
  await mkdir(path.join(archives, 'partial'), { recursive: true });
  await mkdir(path.join(state, 'sources'));
  const sources = await readFile(path.join(published, 'apt/waymaker.sources'), 'utf8');
  await writeFile(path.join(state, 'sources/waymaker.sources'), sources.replace(address, url));
  await writeFile(path.join(state, 'status'), '');
  const options = {
    ...aptOptions(state),
    // It tries again at once.
    'Acquire::Retries::Delay': 'false',
  };
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const update = await run('apt-get', [...given, 'update']);
  if (update.code !== 0) return { ...update, got: [] };
  const install = await run('apt-get', [...given, '--yes', '--download-only', 'install', 'waymaker-sample']);
  const got = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
  return { code: install.code, text: update.text + install.text, got };
}

/** It really installs, into a system of its own in which nothing else is. */
async function byDnf(url = address): Promise<Outcome> {
  const state = await mkdtemp(path.join(scratch, 'dnf-'));
  const root = path.join(state, 'root');
  await mkdir(path.join(state, 'repos'));
  const repo = await readFile(path.join(published, 'rpm/waymaker.repo'), 'utf8');
  await writeFile(path.join(state, 'repos/waymaker.repo'), repo.replaceAll(address, url));
  const { code, text } = await run('dnf', [
    '--assumeyes',
    `--installroot=${root}`,
    '--releasever=41',
    `--setopt=reposdir=${path.join(state, 'repos')}`,
    `--setopt=cachedir=${path.join(state, 'cache')}`,
    'install',
    'waymaker-sample',
  ]);
  const { text: installed } = await run('rpm', ['--root', root, '--query', '--all']);
  return { code, text, got: installed.split('\n').filter((name) => name.startsWith('waymaker-sample')) };
}

const managers = { apt: byApt, dnf: byDnf };

const silence = { apt: /Failed to fetch .*Could not connect/, dnf: /Couldn't connect to server/ };
/** How both end where they go on without the repository: docs/install.md says what it means. */
const unknown = { apt: /Unable to locate package/, dnf: /Unable to find a match/ };
/** How both end where the package itself cannot be had. */
const notFetched = { apt: /Failed to fetch .*\.deb /, dnf: /Error downloading packages/ };

const troubles: Record<keyof typeof managers, [what: string, trouble: Trouble, says: RegExp][]> = {
  apt: [
    ['no repository there', { of: /dists/, how: 'absent' }, /does not have a Release file/],
    ['a service that is broken', { of: /dists/, how: 'broken service' }, unknown.apt],
    ['no index', { of: /Packages|by-hash/, how: 'absent' }, /Failed to fetch .*Packages .*404/],
    ['half an index', { of: /Packages|by-hash/, how: 'cut short' }, /Failed to fetch .*unexpected size/],
    ['no package', { of: /\.deb$/, how: 'absent' }, notFetched.apt],
    ['half a package', { of: /\.deb$/, how: 'cut short' }, notFetched.apt],
    ['a package that is broken off', { of: /\.deb$/, how: 'broken off' }, notFetched.apt],
  ],
  dnf: [
    ['no repository there', { of: /repomd/, how: 'absent' }, /Cannot download repomd\.xml/],
    ['a service that is broken', { of: /repomd/, how: 'broken service' }, /Cannot download repomd\.xml/],
    ['no signature', { of: /repomd\.xml\.asc$/, how: 'absent' }, /GPG signature is not available/],
    ['no index', { of: /primary/, how: 'absent' }, unknown.dnf],
    ['half an index', { of: /primary/, how: 'cut short' }, unknown.dnf],
    ['no package', { of: /\.rpm$/, how: 'absent' }, notFetched.dnf],
    ['half a package', { of: /\.rpm$/, how: 'cut short' }, notFetched.dnf],
    ['a package that is broken off', { of: /\.rpm$/, how: 'broken off' }, notFetched.dnf],
  ],
};

describe.each(['apt', 'dnf'] as const)('%s', (manager) => {
  const install = managers[manager];

  test('gets the package where nothing is wrong', async () => {
    trouble = undefined;
    const { code, text, got } = await install();
    expect(code, text).toBe(0);
    expect(got).toHaveLength(1);
  });

  test('says that nobody answers, and has nothing', async () => {
    const { code, text, got } = await install('http://127.0.0.1:1');
    expect(code).not.toBe(0);
    expect(text).toMatch(silence[manager]);
    expect(text).toMatch(unknown[manager]);
    expect(got).toEqual([]);
  });

  test.each(troubles[manager])(
    'with %s, it says so and has nothing, and later gets it',
    async (_what, given, says) => {
      trouble = given;
      const { code, text, got } = await install();
      expect(code).not.toBe(0);
      expect(text).toMatch(says);
      expect(got).toEqual([]);
      trouble = undefined;
      expect((await install()).got).toHaveLength(1);
    },
  );
});
