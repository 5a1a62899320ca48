import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildHelper } from '../../../scripts/build-helper.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { createHelperLab } from '../support/helper-lab.ts';
import { startProxy } from '../support/proxy/proxy-process.ts';

test('the bundled helper runs from a place of its own, and connects', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bundle-'));
  try {
    const file = await buildHelper(path.join(directory, 'built'));
    const installed = path.join(directory, 'installed');
    await cp(path.dirname(file), installed, { recursive: true });
    await rm(path.dirname(file), { recursive: true });
    await using net = await createHelperLab();
    const before = await net.lab.user.snapshot();
    await net.start({ script: path.join(installed, path.basename(file)) });
    // Its proxy too, from a place that the user it becomes may not read.
    await using proxy = startProxy(net.lab.user, { script: path.join(installed, 'proxy.mjs') });
    expect(await proxy.configure()).toMatchObject({ port: expect.any(Number) as number });
    const client = await net.attach();
    await client.call('connect', net.request({ session: await net.signIn() }));
    await client.until('connected');
    expect(await net.lab.user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    await client.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(before);
  } finally {
    await rm(directory, { recursive: true });
  }
});
