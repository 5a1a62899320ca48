import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBlockMap, type Block } from '../../../../src/main/updates/block-map.ts';
import { downloadUpdate } from '../../../../src/main/updates/download-update.ts';
import { findUpdate } from '../../../../src/main/updates/find-update.ts';
import { planDifference } from '../../../../src/main/updates/plan-difference.ts';
import { clientOf, startFeedServer, type FeedServer } from '../../../lab/updates/feed-server.ts';

const key = generateKeyPairSync('ed25519').privateKey;
const trusted = [createPublicKey(key)];
const signal = new AbortController().signal;
const megabyte = 1_000_000;

async function download(server: FeedServer) {
  const source = clientOf(server, trusted);
  const found = await findUpdate(source);
  if (found.kind !== 'update') throw new Error(`found ${found.kind}`);
  const before = server.sent();
  const outcome = await downloadUpdate(source, found.feed, { folder: server.downloads, signal });
  return { outcome, sent: server.sent() - before };
}

/** The content of what was downloaded. */
async function contentOf({ outcome }: Awaited<ReturnType<typeof download>>): Promise<Buffer> {
  if (outcome.kind !== 'ready') throw new Error(outcome.problem);
  return await readFile(outcome.file);
}

/** Two versions of an installer: bytes were changed, removed and added. */
function versions() {
  const first = randomBytes(4 * megabyte);
  const changed = Buffer.from(first);
  randomBytes(250_000).copy(changed, 2 * megabyte);
  const second = Buffer.concat([
    changed.subarray(0, 100_000),
    randomBytes(1_234),
    changed.subarray(100_000, 3 * megabyte),
    changed.subarray(3 * megabyte + 777),
  ]);
  return [first, second] as const;
}

const [older, newer] = versions();
/** Folders that a web server offers: of the first version, and of both. */
let published: { first: string; both: string };

// Once: to work out of which blocks they are made takes longer than all that is tried with them.
beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-published-'));
  published = { first: path.join(folder, 'first'), both: path.join(folder, 'both') };
  await using server = await startFeedServer();
  await server.publish('0.2.0', { keys: [key], content: older });
  await cp(server.folder, published.first, { recursive: true });
  await server.publish('0.3.0', { keys: [key], content: newer });
  await cp(server.folder, published.both, { recursive: true });
});

afterAll(() => rm(path.dirname(published.both), { recursive: true }));

/** A server with the second version, for somebody who has downloaded the first. */
async function afterFirst(): Promise<FeedServer> {
  const server = await startFeedServer();
  await cp(published.first, server.folder, { recursive: true });
  expect((await download(server)).sent).toBe(older.length);
  await cp(published.both, server.folder, { recursive: true });
  return server;
}

const files = async (server: FeedServer) =>
  (await readdir(server.downloads)).map((name) => name.slice(17)).sort();

test('only what has changed in a new version is downloaded, and the version before is removed', async () => {
  await using server = await afterFirst();
  const done = await download(server);
  expect(await contentOf(done)).toEqual(newer);
  expect(done.sent).toBeGreaterThan(250_000);
  expect(done.sent).toBeLessThan(0.6 * megabyte);
  expect(await files(server)).toEqual([
    'waymaker-core-0.3.0-x64.exe',
    'waymaker-core-0.3.0-x64.exe.blockmap',
  ]);
});

test('a download that broke off goes on where it stopped', async () => {
  await using server = await afterFirst();
  server.cutAfter(server.sent() + 120_000);
  const first = await download(server);
  expect(first.outcome).toEqual({ kind: 'problem', problem: 'unreachable' });
  const second = await download(server);
  expect(await contentOf(second)).toEqual(newer);
  expect(first.sent + second.sent).toBeLessThan(0.9 * megabyte);
});

test.each([
  [
    'the old file has been changed',
    async ({ downloads }: FeedServer) => {
      const [name = ''] = (await readdir(downloads)).filter((one) => one.endsWith('.exe'));
      const file = path.join(downloads, name);
      const content = await readFile(file);
      content.fill(0, megabyte, 1.5 * megabyte);
      await writeFile(file, content);
    },
  ],
  [
    'the old file is too short',
    async ({ downloads }: FeedServer) => {
      const [name = ''] = (await readdir(downloads)).filter((one) => one.endsWith('.exe'));
      await writeFile(path.join(downloads, name), 'short');
    },
  ],
  [
    'the old blocks are not known',
    async ({ downloads }: FeedServer) => {
      for (const name of await readdir(downloads))
        if (name.endsWith('.blockmap')) await rm(path.join(downloads, name));
    },
  ],
  [
    'the old blocks are nonsense',
    async ({ downloads }: FeedServer) => {
      for (const name of await readdir(downloads))
        if (name.endsWith('.blockmap')) await writeFile(path.join(downloads, name), 'nonsense');
    },
  ],
  [
    'the server has no blocks',
    ({ folder }: FeedServer) => rm(path.join(folder, 'waymaker-core-0.3.0-x64.exe.blockmap')),
  ],
  [
    'the server has the blocks of another version',
    async ({ folder }: FeedServer) => {
      const other = await readFile(path.join(folder, 'waymaker-core-0.2.0-x64.exe.blockmap'));
      await writeFile(path.join(folder, 'waymaker-core-0.3.0-x64.exe.blockmap'), other);
    },
  ],
  ['the server cannot send parts', (server: FeedServer) => Promise.resolve(server.sendsParts(false))],
] as const)('everything is downloaded if %s', async (_, damage) => {
  await using server = await afterFirst();
  await damage(server);
  const done = await download(server);
  expect(await contentOf(done)).toEqual(newer);
  expect(done.sent).toBeGreaterThanOrEqual(newer.length);
});

test('a server that lies about blocks has nothing installed that was not signed', async () => {
  await using server = await afterFirst();
  const served = path.join(server.folder, 'waymaker-core-0.3.0-x64.exe');
  const changed = Buffer.from(newer);
  // Where the versions differ: the rest is not asked for.
  changed.fill(1, 2.1 * megabyte, 2.2 * megabyte);
  await writeFile(served, changed);
  expect((await download(server)).outcome).toEqual({ kind: 'problem', problem: 'damaged' });
  expect((await files(server)).filter((name) => name.includes('0.3.0'))).toEqual([]);
});

const blocks = (...all: [string, number][]): Block[] => all.map(([checksum, size]) => ({ checksum, size }));

test('neighbours are taken together, and what is hardly worth a request is downloaded with what is around it', () => {
  const [large, small] = [500_000, 20_000];
  const before = blocks(['a', large], ['b', large], ['c', small], ['d', large]);
  expect(planDifference(before, blocks(['a', large], ['b', large], ['x', small], ['d', large]))).toEqual([
    { from: 'old', start: 0, size: 2 * large },
    { from: 'server', start: 2 * large, size: small },
    { from: 'old', start: 2 * large + small, size: large },
  ]);
  const after = blocks(['a', large], ['x', small], ['c', small], ['y', small], ['b', large]);
  expect(planDifference(before, after)).toEqual([
    { from: 'old', start: 0, size: large },
    { from: 'server', start: large, size: 3 * small },
    { from: 'old', start: large, size: large },
  ]);
});

test('a difference that saves next to nothing, or takes many requests, is none', () => {
  const large = 500_000;
  expect(planDifference(blocks(['a', large]), blocks(['a', large], ['x', 9 * large]))).toBeUndefined();
  const many = Array.from({ length: 100 }, (_, index) => index);
  const before = blocks(...many.map((index): [string, number] => [`a${index}`, large]));
  const after = blocks(
    ...many.flatMap((index): [string, number][] => [
      [`a${index}`, large],
      [`x${index}`, 1000],
    ]),
  );
  expect(planDifference(before, after)).toBeUndefined();
});

const map = (value: object) => gzipSync(JSON.stringify(value));
const file = { name: 'file', offset: 0, checksums: ['A'.repeat(24)], sizes: [10] };

test.each([
  ['no gzip', Buffer.from('{}')],
  ['another version', map({ version: '1', files: [file] })],
  ['no file', map({ version: '2', files: [] })],
  ['two files', map({ version: '2', files: [file, file] })],
  ['other sizes than checksums', map({ version: '2', files: [{ ...file, sizes: [5, 5] }] })],
  ['a block of nothing', map({ version: '2', files: [{ ...file, sizes: [0] }] })],
  ['another size', map({ version: '2', files: [{ ...file, sizes: [11] }] })],
  ['more than fits', gzipSync(Buffer.alloc(80 * 1024 * 1024))],
])('a block map with %s is none', async (_, content) => {
  expect(await readBlockMap(map({ version: '2', files: [file] }), 10), 'a right one').toEqual([
    { checksum: file.checksums[0], size: 10 },
  ]);
  expect(await readBlockMap(content, 10)).toBeUndefined();
});
