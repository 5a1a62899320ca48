import { createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import type { UpdateInfo } from 'builder-util-runtime';
import { expect, test } from 'vitest';
import { wouldOpenTraffic } from '#shared/tunnel/would-open-traffic.ts';
import { downloadUpdate } from '../../../../src/main/updates/download-update.ts';
import { findUpdate, type UpdateSource } from '../../../../src/main/updates/find-update.ts';
import { isInRollout } from '../../../../src/main/updates/staged-rollout.ts';
import { feedFile, feedProduct, joinFeed, splitFeed } from '../../../../src/node/manifest/update-feed.ts';
import { signText } from '../../../../src/node/manifest/signatures.ts';
import { eventually } from '../../../lab/runs/process.ts';
import {
  clientOf,
  rememberedFeed,
  startFeedServer,
  type FeedServer,
} from '../../../lab/updates/feed-server.ts';

/** Electron-updater's reader of feeds; it comes without types. */
const { load } = createRequire(import.meta.url)('js-yaml') as { load: (text: string) => unknown };

const newKey = () => generateKeyPairSync('ed25519').privateKey;
const publicOf = (key: KeyObject) => createPublicKey(key);
const key = newKey();
const trusted = [publicOf(key)];
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

const never = new AbortController().signal;

async function download(server: FeedServer, source: UpdateSource) {
  const found = await findUpdate(source);
  if (found.kind !== 'update') throw new Error(`found ${found.kind}`);
  return await downloadUpdate(source, found.feed, { folder: server.downloads, signal: never });
}

test('a newer version is found, downloaded with its progress, and not downloaded again', async () => {
  await using server = await startFeedServer();
  const content = randomBytes(50_000);
  await server.publish('0.2.0', { keys: [key], content });
  const source = clientOf(server, trusted);
  const found = await findUpdate(source);
  if (found.kind !== 'update') throw new Error(`found ${found.kind}`);
  expect(found.feed.version).toBe('0.2.0');
  const progress: number[] = [];
  const options = {
    folder: server.downloads,
    signal: never,
    onProgress: (received: number, size: number) => progress.push(received / size),
  };
  const first = await downloadUpdate(source, found.feed, options);
  if (first.kind !== 'ready') throw new Error(first.problem);
  expect(await readFile(first.file)).toEqual(content);
  expect(progress.at(-1)).toBe(1);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(progress.length).toBeGreaterThan(1);
  expect(await downloadUpdate(source, found.feed, options)).toEqual(first);
  expect(server.sent()).toBe(content.length);
});

test('the feed has what electron-updater reads', async () => {
  await using server = await startFeedServer();
  await server.publish('0.2.0', { keys: [key], percentage: 10 });
  // As electron-updater reads it.
  const feed = load(await readFile(path.join(server.folder, feedFile), 'utf8')) as UpdateInfo & {
    stagingPercentage: number;
  };
  expect(feed.version).toBe('0.2.0');
  expect(feed.files).toEqual([{ url: 'waymaker-core-0.2.0-x64.exe', sha512: feed.sha512, size: 15 }]);
  expect(feed.path).toBe(feed.files[0]?.url);
  expect(feed.stagingPercentage).toBe(10);
});

test('an older version, or the installed one, is no update', async () => {
  await using server = await startFeedServer();
  for (const version of ['0.1.0', '0.0.9']) {
    await server.publish(version, { keys: [key] });
    expect(await findUpdate(clientOf(server, trusted))).toEqual({ kind: 'current' });
  }
});

test('a feed is only believed if it is signed, as a feed, by a trusted key', async () => {
  await using server = await startFeedServer();
  const untrusted = { kind: 'problem', problem: 'untrusted' };
  const feed = path.join(server.folder, feedFile);
  await server.publish('0.2.0', { keys: [newKey()] });
  expect(await findUpdate(clientOf(server, trusted))).toEqual(untrusted);

  await server.publish('0.2.0', { keys: [key] });
  const content = await readFile(feed, 'utf8');
  const { text = '', signatures = '' } = splitFeed(content) ?? {};
  for (const changed of [
    content.replace('0.2.0', '0.3.0'),
    text,
    `${text}\n`,
    `${content}# signatures: {}\n`,
    joinFeed(`${text} `, signatures).replace('}\n#', '} \n#'),
    // The same key signs manifests, and those are something else.
    joinFeed(text, signText(Buffer.from(text), 'manifest', [key])),
  ]) {
    await writeFile(feed, changed);
    expect(await findUpdate(clientOf(server, trusted)), changed).toEqual(untrusted);
  }
  await writeFile(feed, joinFeed(text, signText(Buffer.from(text), 'feed', [key])));
  expect((await findUpdate(clientOf(server, trusted))).kind).toBe('update');

  await rm(feed);
  expect(await findUpdate(clientOf(server, trusted))).toEqual({ kind: 'problem', problem: 'unreachable' });
});

test('what is signed for another system is not taken', async () => {
  await using server = await startFeedServer();
  await server.publish('0.2.0', { keys: [key], product: feedProduct('darwin', 'arm64') });
  expect(await findUpdate(clientOf(server, trusted))).toEqual({ kind: 'problem', problem: 'other-product' });
});

test('a feed that is older than one that was seen is refused, so that nobody can be kept from a fix', async () => {
  await using server = await startFeedServer();
  const seen = rememberedFeed();
  await server.publish('0.2.0', { keys: [key], now: minutesAgo(20) });
  expect((await findUpdate(clientOf(server, trusted, { seen }))).kind).toBe('update');
  const old = path.join(server.folder, '../old');
  await cp(server.folder, old, { recursive: true });
  await server.publish('0.3.0', { keys: [key], now: minutesAgo(10) });
  expect(await findUpdate(clientOf(server, trusted, { seen }))).toMatchObject({ feed: { version: '0.3.0' } });
  await cp(old, server.folder, { recursive: true });
  expect(await findUpdate(clientOf(server, trusted, { seen }))).toEqual({
    kind: 'problem',
    problem: 'replayed',
  });
});

test('a key is replaced without anybody being left behind', async () => {
  await using server = await startFeedServer();
  const next = newKey();
  // The last release by both, whose programs trust both; then by the new one only.
  await server.publish('0.2.0', { keys: [next, key] });
  expect((await findUpdate(clientOf(server, trusted))).kind).toBe('update');
  await server.publish('0.3.0', { keys: [next] });
  const both = [publicOf(key), publicOf(next)];
  expect((await findUpdate(clientOf(server, both, { version: '0.2.0' }))).kind).toBe('update');
  await server.publish('0.4.0', { keys: [key] });
  const current = clientOf(server, [publicOf(next)], { version: '0.3.0' });
  expect(await findUpdate(current)).toEqual({ kind: 'problem', problem: 'untrusted' });
});

test('an installer with other content than was signed is deleted', async () => {
  await using server = await startFeedServer();
  const content = randomBytes(5_000);
  await server.publish('0.2.0', { keys: [key], content });
  const installer = path.join(server.folder, 'waymaker-core-0.2.0-x64.exe');
  const damaged = { kind: 'problem', problem: 'damaged' };
  content.writeUInt8(content.readUInt8(4_000) ^ 1, 4_000);
  await writeFile(installer, content);
  expect(await download(server, clientOf(server, trusted))).toEqual(damaged);
  expect(await readdir(server.downloads)).toEqual([]);
  // It may also never end.
  await writeFile(installer, Buffer.concat([content, content]));
  expect(await download(server, clientOf(server, trusted))).toEqual(damaged);
});

test('a download that broke off goes on where it stopped, or begins again where a server cannot do that', async () => {
  await using server = await startFeedServer();
  const content = randomBytes(300_000);
  await server.publish('0.2.0', { keys: [key], content });
  for (const hasParts of [true, false]) {
    server.sendsParts(hasParts);
    const before = server.sent();
    server.cutAfter(before + 200_000);
    expect(await download(server, clientOf(server, trusted))).toEqual({
      kind: 'problem',
      problem: 'unreachable',
    });
    const done = await download(server, clientOf(server, trusted));
    if (done.kind !== 'ready') throw new Error(done.problem);
    expect(await readFile(done.file)).toEqual(content);
    // What the network still had on its way when it was cut is sent twice.
    if (hasParts) expect(server.sent() - before).toBeLessThan(200_000 + content.length);
    else expect(server.sent() - before).toBeGreaterThanOrEqual(200_000 + content.length);
    await rm(done.file);
  }
});

test('an unfinished download is removed once there is another version', async () => {
  await using server = await startFeedServer();
  await server.publish('0.2.0', { keys: [key], content: randomBytes(100_000) });
  server.cutAfter(50_000);
  await download(server, clientOf(server, trusted));
  expect(await readdir(server.downloads)).toContainEqual(expect.stringMatching(/0\.2\.0.*\.part$/));
  await server.publish('0.3.0', { keys: [key] });
  expect((await download(server, clientOf(server, trusted))).kind).toBe('ready');
  expect(await readdir(server.downloads)).toEqual([
    expect.stringMatching(/-waymaker-core-0\.3\.0-x64\.exe$/),
    expect.stringMatching(/-waymaker-core-0\.3\.0-x64\.exe\.blockmap$/),
  ]);
});

test('a version is offered to the percentage of computers that the feed says, and to whoever asks for it', async () => {
  await using server = await startFeedServer();
  const installations = Array.from({ length: 400 }, (_, index) => `installation ${index}`);
  const first = (version: string) =>
    installations.filter((one) => isInRollout(one, { version, percent: 25 }));
  expect(first('0.2.0').length).toBeGreaterThan(60);
  expect(first('0.2.0').length).toBeLessThan(140);
  expect(first('0.2.0')).not.toEqual(first('0.3.0'));
  await server.publish('0.2.0', { keys: [key], percentage: 25 });
  const [early = ''] = first('0.2.0');
  const late = installations.find((one) => !first('0.2.0').includes(one)) ?? '';
  expect((await findUpdate(clientOf(server, trusted, { installation: early }))).kind).toBe('update');
  const other = clientOf(server, trusted, { installation: late });
  expect(await findUpdate(other)).toEqual({ kind: 'later', version: '0.2.0' });
  expect((await findUpdate(other, { isWanted: true })).kind).toBe('update');
  await server.publish('0.2.0', { keys: [key], percentage: 0 });
  expect((await findUpdate(clientOf(server, trusted, { installation: early }))).kind).toBe('later');
});

test('a version that has been withdrawn is not installed by who asks for an update, either', async () => {
  await using server = await startFeedServer();
  const source = clientOf(server, trusted);
  await server.publish('0.2.0', { keys: [key], percentage: 1 });
  expect((await findUpdate(source, { isWanted: true })).kind).toBe('update');
  await server.publish('0.2.0', { keys: [key], percentage: 0 });
  expect(await findUpdate(source, { isWanted: true })).toEqual({
    kind: 'later',
    version: '0.2.0',
    isWithdrawn: true,
  });
});

test('nothing is installed while only the tunnel keeps traffic from going out directly', () => {
  const connecting = {
    state: 'connecting',
    gateway: { host: 'gw.example', port: 443 },
    attempt: 1,
    phase: 'authenticating',
  } as const;
  expect(wouldOpenTraffic(connecting, false)).toBe(true);
  expect(wouldOpenTraffic(connecting, true)).toBe(false);
  expect(wouldOpenTraffic({ state: 'disconnecting', then: 'connecting' }, false)).toBe(true);
  expect(wouldOpenTraffic({ state: 'disconnecting', then: 'disconnected' }, false)).toBe(false);
  expect(wouldOpenTraffic({ state: 'disconnected' }, false)).toBe(false);
  // Whose kill switch may be off, whatever that of this user is.
  expect(wouldOpenTraffic({ ...connecting, ownedByOther: true }, true)).toBe(true);
});

test('the connection to a server that answers with an endless error is closed', async () => {
  await using server = await startFeedServer();
  await server.publish('0.2.0', { keys: [key] });
  const source = clientOf(server, trusted);
  const found = await findUpdate(source);
  if (found.kind !== 'update') throw new Error(`found ${found.kind}`);
  await using ends = new AsyncDisposableStack();
  const endless = createServer((_request, response) => {
    response.writeHead(302, { location: server.url });
    response.write('x');
  });
  ends.defer(() => endless.close().closeAllConnections());
  endless.listen(0, '127.0.0.1');
  await once(endless, 'listening');
  let connection: Socket | undefined;
  endless.on('connection', (socket: Socket) => (connection = socket));
  const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`;
  const options = { folder: server.downloads, signal: never };
  expect(await downloadUpdate({ ...source, url }, found.feed, options)).toEqual({
    kind: 'problem',
    problem: 'unreachable',
  });
  await eventually('the connection is closed', () => connection?.destroyed === true || undefined);
});

test('a folder among the downloads does not prevent an update', async () => {
  await using server = await startFeedServer();
  await server.publish('0.2.0', { keys: [key] });
  await mkdir(path.join(server.downloads, 'folder/in/it'), { recursive: true });
  expect((await download(server, clientOf(server, trusted))).kind).toBe('ready');
});
