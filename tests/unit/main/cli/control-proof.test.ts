import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openControlConnection } from '../../../../src/main/control/control-connection.ts';
import { serveControl } from '../../../../src/main/control/control-server.ts';

/** Windows lets whoever is first make a pipe of any name: what others have made is told by its lack of a proof. */

const ours = 'a'.repeat(64);
const theirs = 'b'.repeat(64);

async function serve(key: string | undefined, answer: object = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-proof-'));
  const socketPath = path.join(folder, 'core.sock');
  const asked: string[] = [];
  const server = await serveControl({
    place: { socketPath, ...(key !== undefined && { key }) },
    platform: process.platform,
    host: {
      handle(channel) {
        asked.push(channel);
        const hello = { protocolVersion: 1, version: '1.0.0', kind: 'app', pid: 1, language: 'en' };
        return Promise.resolve({ ...hello, ...answer });
      },
    },
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const open = (own: string | undefined) =>
    openControlConnection({
      place: { socketPath, ...(own !== undefined && { key: own }) },
      client: { name: 'test', version: '1.0.0' },
    });
  return { open, asked };
}

test('a core that knows the key is the user’s', async () => {
  const { open } = await serve(ours);
  const connection = await open(ours);
  if (typeof connection === 'string') throw new Error(connection);
  expect(connection.core).toMatchObject({ kind: 'app', version: '1.0.0' });
  connection.close();
});

test.each<[string, string | undefined, object]>([
  ['no proof', undefined, {}],
  ['a proof by another key', theirs, {}],
  ['something else as a proof', undefined, { proof: 'c'.repeat(64) }],
  ['an empty proof', undefined, { proof: '' }],
])('a core that answers with %s is not the user’s, and is told nothing', async (_, key, answer) => {
  const { open, asked } = await serve(key, answer);
  expect(await open(ours)).toBe('absent');
  expect(asked).toEqual(['core.hello']);
});

test('where the place itself is the user’s alone, nothing is proven', async () => {
  const { open } = await serve(undefined);
  const connection = await open(undefined);
  if (typeof connection === 'string') throw new Error(connection);
  expect(connection.core).not.toHaveProperty('proof');
  connection.close();
});
