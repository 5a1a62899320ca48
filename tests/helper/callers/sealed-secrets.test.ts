import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { attachAs } from '../support/callers/attach-as.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';

/** Two users who may both use the helper (Debian policy §9.2.2: no accounts have these numbers). */
const [ownUid, otherUid] = [64_952, 64_953];
const args = ['--allow-user', String(ownUid), '--allow-user', String(otherUid)];
const secret = 'token-1 密 \u{1F511}';
const notSealed = { code: helperError.notSealed };

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start({ args });
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const keyFile = () => path.join(net.stateDirectory, 'sealing-key');

async function sealAs(uid: number, text = secret): Promise<string> {
  using client = await attachAs(net, uid);
  expect(client.capabilities).toContain('seal');
  return (await client.call('seal', { secret: text })).sealed;
}

async function unsealAs(uid: number, sealed: string): Promise<string> {
  using client = await attachAs(net, uid);
  return (await client.call('unseal', { sealed })).secret;
}

async function restart(): Promise<void> {
  await net.end('SIGKILL');
  await net.start({ args });
}

test('a secret is opened only for the user who had it sealed, also by the next helper', async () => {
  const sealed = await sealAs(ownUid);
  expect(Buffer.from(sealed, 'base64').includes('token-1')).toBe(false);
  expect(await sealAs(ownUid)).not.toBe(sealed);
  expect(await unsealAs(ownUid, sealed)).toBe(secret);
  await expect(unsealAs(otherUid, sealed)).rejects.toMatchObject(notSealed);
  await restart();
  expect(await unsealAs(ownUid, sealed)).toBe(secret);
  await expect(unsealAs(otherUid, sealed)).rejects.toMatchObject(notSealed);
});

test('the helper keeps and logs nothing of a secret, and only root can read its key', async () => {
  const sealed = await sealAs(ownUid);
  expect(await unsealAs(ownUid, sealed)).toBe(secret);
  expect(await readdir(net.stateDirectory)).toContain('sealing-key');
  for (const name of await readdir(net.stateDirectory)) {
    const content = await readFile(path.join(net.stateDirectory, name));
    expect(content.includes('token-1'), name).toBe(false);
    expect(content.includes(sealed), name).toBe(false);
  }
  expect(net.log()).not.toContain('token-1');
  const found = await stat(keyFile());
  expect([found.uid, found.mode & 0o777, found.size]).toEqual([0, 0o600, 32]);
});

test('whatever was changed, cut off or made up is refused, and the next secret is opened', async () => {
  const sealed = Buffer.from(await sealAs(ownUid), 'base64');
  using client = await attachAs(net, ownUid);
  const changed = sealed.toJSON().data.map((_, at) => {
    const bytes = Buffer.from(sealed);
    bytes[at] = bytes.readUInt8(at) ^ 1;
    return bytes;
  });
  const cutOff = [1, 28, 29, sealed.length - 1].map((end) => sealed.subarray(0, end));
  for (const bytes of [...changed, ...cutOff, Buffer.alloc(1), Buffer.alloc(200_000, 1)]) {
    const asked = client.call('unseal', { sealed: bytes.toString('base64') });
    await expect(asked).rejects.toMatchObject(notSealed);
  }
  expect(await client.call('unseal', { sealed: sealed.toString('base64') })).toEqual({ secret });
  const longest = '密'.repeat(96 * 1024);
  const { sealed: long } = await client.call('seal', { secret: longest });
  expect(await client.call('unseal', { sealed: long })).toEqual({ secret: longest });
  await expect(client.call('seal', { secret: `${longest}x` })).rejects.toMatchObject({ code: -32602 });
});

const damages: [string, () => Promise<void>][] = [
  ['has another length', () => writeFile(keyFile(), 'short')],
  ['could be read by others', () => chmod(keyFile(), 0o644)],
  ['is gone', () => rm(keyFile())],
];

test.each(casesOf({ usual: damages.slice(0, 2), all: damages }))(
  'a key that %s is replaced: what was sealed with it stays closed',
  async (_, damage) => {
    const sealed = await sealAs(ownUid);
    await damage();
    await restart();
    await expect(unsealAs(ownUid, sealed)).rejects.toMatchObject(notSealed);
    expect(await unsealAs(ownUid, await sealAs(ownUid))).toBe(secret);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  },
);
