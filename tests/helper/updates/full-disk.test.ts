import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { downloadUpdate } from '../../../src/main/updates/download-update.ts';
import { findUpdate } from '../../../src/main/updates/find-update.ts';
import { run } from '../../lab/runs/process.ts';
import { clientOf, startFeedServer } from '../../lab/updates/feed-server.ts';

test('a download that does not fit on the disk, or no longer does, takes up no room', async () => {
  const key = generateKeyPairSync('ed25519').privateKey;
  await using server = await startFeedServer();
  await server.publish('0.2.0', { keys: [key], content: randomBytes(400_000) });
  const source = clientOf(server, [createPublicKey(key)]);
  const found = await findUpdate(source);
  if (found.kind !== 'update') throw new Error(`found ${found.kind}`);
  await mkdir(server.downloads);
  await run(['mount', '-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', server.downloads]);
  try {
    const folder = path.join(server.downloads, 'updates');
    const other = path.join(server.downloads, 'other');
    const noRoom = { kind: 'problem', problem: 'no-room' };
    const signal = new AbortController().signal;
    await writeFile(other, randomBytes(300_000));
    expect(await downloadUpdate(source, found.feed, { folder, signal })).toEqual(noRoom);
    expect(await readdir(folder)).toEqual([]);
    // Somebody else takes the room meanwhile.
    await writeFile(other, '');
    const taken: unknown[] = [];
    const onProgress = () => {
      if (taken.length > 0) return;
      try {
        writeFileSync(other, randomBytes(700_000));
      } catch (error) {
        taken.push(error);
      }
    };
    expect(await downloadUpdate(source, found.feed, { folder, signal, onProgress })).toEqual(noRoom);
    expect(taken).toEqual([expect.objectContaining({ code: 'ENOSPC' })]);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(other, '');
    expect((await downloadUpdate(source, found.feed, { folder, signal })).kind).toBe('ready');
  } finally {
    await run(['umount', server.downloads]);
  }
});
