import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually } from '../../lab/runs/process.ts';
import { createInstalledMachine, type InstalledMachine } from '../support/installed/installed-machine.ts';

/**
 * The tunnel's device inherits what a machine's owner has set for all devices (resolved.conf(5)), which few VPNs'
 * resolvers can do.
 */
let installed: InstalledMachine;

beforeAll(async () => {
  installed = await createInstalledMachine('resolved', async (tree) => {
    const folder = path.join(tree, 'etc/systemd/resolved.conf.d');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'strict.conf'), '[Resolve]\nDNSOverTLS=yes\nDNSSEC=yes\n');
  });
});
afterAll(() => installed?.[Symbol.asyncDispose]());

test('names are found in the tunnel where the machine wants TLS and signatures of its own resolvers', async () => {
  const isFound = async () => (await installed.resolve(names.inside)).includes(addresses.inside.ipv4);
  expect(await installed.resolve(names.where), 'the resolver outside has no TLS').toEqual([]);
  const client = await installed.connect();
  await eventually('names are found', async () => (await isFound()) || undefined);
  await client.call('disconnect', {});
  expect(await installed.resolve(names.where)).toEqual([]);
});
