import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signFolder } from '../../../packaging/manifest/sign-folder.ts';
import { signingKeys } from '../../../packaging/manifest/signing-keys.ts';
import { buildHelper } from '../../../scripts/build-helper.ts';
import { coreProduct } from '../../../src/node/manifest/core-product.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { startProxy } from '../support/proxy/proxy-process.ts';

/** The helper's bundle as a package has it: in a folder that was signed, whose key it trusts. */

let net: HelperLab;
let directory: string;
let folder: string;
let script: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bundle-'));
  const { privateKeys, publicKeys } = await signingKeys({});
  const built = await buildHelper(path.join(directory, 'built'), publicKeys);
  folder = path.join(directory, 'installed');
  script = path.join(folder, 'helper', path.basename(built));
  await mkdir(folder);
  await cp(path.dirname(built), path.dirname(script), { recursive: true });
  await rm(path.dirname(built), { recursive: true });
  await writeFile(path.join(folder, 'node'), 'a runtime\n');
  await signFolder({ folder, product: coreProduct, version: '1.2.3', privateKeys });
  net = await createHelperLab();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

test('the bundle runs from a place of its own, and connects', async () => {
  await net.start({ script });
  // Its proxy too, from a place that the user it becomes may not read.
  await using proxy = startProxy(net.lab.user, { script: path.join(path.dirname(script), 'proxy.mjs') });
  expect(await proxy.configure()).toMatchObject({ port: expect.any(Number) as number });
  const client = await net.connect();
  expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  await client.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

test('with a file that is not as it was signed it serves nobody, and opens nothing', async () => {
  await (await net.attach()).call('connect', net.request({ killSwitch: true }));
  await net.end('SIGKILL');
  // What a boot finds: nothing that is in memory only.
  await net.lab.user.run(['nft', 'flush', 'ruleset']);
  for (const family of ['-4', '-6'])
    await net.lab.user.run(['ip', family, 'rule', 'flush', 'protocol', '87']);
  expect(await net.lab.user.seenFrom(), 'positive control').toBe(addresses.user.ipv4);
  const proxy = path.join(path.dirname(script), 'proxy.mjs');
  const whole = await readFile(proxy);
  await writeFile(proxy, Buffer.concat([whole.subarray(0, -1), Buffer.from(' ')]));
  const own = ['--socket', net.socket, '--state-dir', net.stateDirectory];
  const refused = await net.lab.user.exec([process.execPath, script, ...own]);
  // So that systemd starts no other (`RestartPreventExitStatus=`).
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain('helper/proxy.mjs');
  expect(refused.stderr).not.toContain('"listening"');
  expect(await net.lab.user.seenFrom()).toBeUndefined();
  await writeFile(proxy, whole);
  await net.start({ script });
  const client = await net.attach();
  await client.call('disconnect', {});
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
});
