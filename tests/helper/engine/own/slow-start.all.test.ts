import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addresses } from '../../../lab/network/addresses.ts';
import { eventually, exec } from '../../../lab/runs/process.ts';
import { handshakeLimitMs } from '../../../../helper/tunnel/attempt-limit.ts';
import { createHelperLab } from '../../support/helper-lab.ts';

// As where many programs start at once, after somebody has signed in to a slow computer.
test('an engine whose program takes long to start is waited for, since that says nothing of the gateway', async () => {
  await using net = await createHelperLab({ engine: 'own' });
  await net.start();
  const client = await net.attach();
  const session = await net.signIn();
  await client.call('connect', net.request({ session }));
  const engine = await eventually('the engine is started', async () => {
    const { stdout } = await exec(['pgrep', '--parent', String(net.pid()), '--full', 'engine']);
    return Number(stdout.trim().split('\n')[0]) || undefined;
  });
  process.kill(engine, 'SIGSTOP');
  expect(net.log()).not.toContain('data path');
  await delay(1.3 * handshakeLimitMs);
  process.kill(engine, 'SIGCONT');
  await client.until('connected');
  expect(await net.lab.user.probe.http4('late')).toMatchObject({ address: addresses.gateway.ipv4 });
});
