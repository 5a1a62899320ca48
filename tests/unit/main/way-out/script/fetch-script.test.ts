import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchScript } from '../../../../../src/main/way-out/script/fetch-script.ts';

const script = 'function FindProxyForURL() { return "DIRECT"; }';
const moved: Readonly<Record<string, string>> = {
  '/moved': '/proxy.pac',
  '/round': '/round',
  '/to-file': 'file:///etc/hostname',
  '/nowhere': 'http://[',
};
const pages: Readonly<Record<string, string>> = {
  '/proxy.pac': script,
  '/long': 'x'.repeat(1024 * 1024 + 1),
  '/empty': ' ',
};
const server = createServer(({ url = '' }, reply) => {
  const [location, page] = [moved[url], pages[url]];
  if (url === '/odd.pac') {
    // Lines that end with LF alone, as those of small servers.
    reply.socket?.end(`HTTP/1.0 200 OK\nContent-Type: application/x-ns-proxy-autoconfig\n\n${script}`);
    return;
  }
  if (location !== undefined) reply.writeHead(302, { location }).end();
  else if (page === undefined) reply.writeHead(404).end('none');
  else reply.end(page);
});
let address: string;
let folder: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-script-'));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

test('a script is fetched, also from where it has moved to, and from a server of its own kind', async () => {
  expect(await fetchScript(`${address}/proxy.pac`)).toBe(script);
  expect(await fetchScript(`${address}/moved`)).toBe(script);
  expect(await fetchScript(`${address}/odd.pac`)).toBe(script);
});

test('a script that the network names is not on this computer, nor where another server sends to', async () => {
  const own = Object.values(os.networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  if (own === undefined) throw new Error('this machine has no address besides loopback');
  const elsewhere = createServer((request, reply) => {
    if (request.url === '/proxy.pac') reply.end(script);
    else reply.writeHead(302, { location: `${address}/proxy.pac` }).end();
  });
  elsewhere.listen(0, own);
  await once(elsewhere, 'listening');
  const there = `http://${own}:${(elsewhere.address() as AddressInfo).port}`;
  const { port } = new URL(address);
  try {
    expect(await fetchScript(`${there}/proxy.pac`, 'from-network')).toBe(script);
    for (const from of [`${address}/proxy.pac`, `http://localhost:${port}/proxy.pac`, `${there}/moved`]) {
      expect(await fetchScript(from), 'positive control').toBe(script);
      await expect(fetchScript(from, 'from-network')).rejects.toThrow('on this computer');
    }
    // One of which it is known where it has to be is asked there, whatever its name leads to.
    const named = there.replace(own, 'localhost');
    await expect(fetchScript(`${named}/proxy.pac`, 'from-network')).rejects.toThrow('on this computer');
    expect(await fetchScript(`${named}/proxy.pac`, 'from-network', [own])).toBe(script);
    await expect(fetchScript(`${named}/moved`, 'from-network', [own])).rejects.toThrow('on this computer');
    const file = path.join(folder, 'named.pac');
    await writeFile(file, script);
    await expect(fetchScript(pathToFileURL(file).href, 'from-network')).rejects.toThrow('a file');
  } finally {
    elsewhere.close();
  }
});

test('a script is read from a file', async () => {
  const file = path.join(folder, 'proxy.pac');
  await writeFile(file, `\uFEFF${script}`);
  expect(await fetchScript(pathToFileURL(file).href)).toBe(script);
  // As KDE writes it, too.
  expect(await fetchScript(file)).toBe(script);
});

test.each([
  ['/absent', 'answers 404'],
  ['/round', 'answers 302'],
  ['/to-file', 'file:'],
  ['/long', 'longer than 1 MB'],
  ['/empty', 'empty'],
])('the script at %s is refused: %s', async (place, why) => {
  await expect(fetchScript(`${address}${place}`)).rejects.toThrow(why);
});

test('a pipe, a device, a long file, and an address of another kind are refused', async () => {
  const pipe = path.join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const long = path.join(folder, 'long');
  await writeFile(long, 'x'.repeat(1024 * 1024 + 1));
  for (const file of [pipe, long, '/dev/zero', folder])
    await expect(fetchScript(pathToFileURL(file).href)).rejects.toThrow('no file of at most');
  for (const other of ['ftp://127.0.0.1/proxy.pac', 'data:,x', 'none', ''])
    await expect(fetchScript(other)).rejects.toThrow();
});

test('no error that is logged contains a password from an address', async () => {
  const withPassword = (place: string) => address.replace('//', '//guest:secret@') + place;
  for (const bad of [
    withPassword('/nowhere'),
    withPassword('/absent'),
    'http://guest:secret@[/',
    'ftp://guest:secret@p/',
  ]) {
    const error: unknown = await fetchScript(bad).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify(pino.stdSerializers.err(error as Error)), bad).not.toContain('secret');
  }
});
