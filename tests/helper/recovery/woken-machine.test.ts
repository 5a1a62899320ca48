import { expect, test } from 'vitest';
import { programFile } from '../../lab/runs/programs.ts';
import { exchangeStreams } from '../support/hashed-streams.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

/**
 * What becomes of a tunnel when the machine has slept and is in the same network afterwards, which tells nobody anything
 * (coder-desktop-windows 172, tailscale 20353, netbird 583).
 */

const net = helperLabForEach({ engine: 'own' });

async function startSleeper(): Promise<void> {
  await net.end('SIGTERM');
  await net.start({ script: programFile('tests/helper/support/failures/woken-on-signal.ts') });
}
const wake = () => process.kill(net.pid(), 'SIGUSR2');

test('a machine that wakes up gets a new engine at once, with the session that it has, and carries streams', async () => {
  await startSleeper();
  const client = await net.connect();
  const { addresses } = await client.until('connected');
  const [before] = await net.engines();
  const seen = client.states.length;
  wake();
  expect((await client.until('connected', { seen })).addresses).toEqual(addresses);
  const after = await net.engines();
  expect(after).toHaveLength(1);
  expect(after).not.toContain(before);
  // Nobody had to sign in.
  expect(
    client.states.slice(seen).filter((state) => 'phase' in state && state.phase === 'authenticating'),
  ).toEqual([]);
  await exchangeStreams(net, 100_000);
});

test('a machine that wakes up without a tunnel makes none', async () => {
  await startSleeper();
  const client = await net.attach();
  wake();
  await client.call('snapshot', {});
  expect(await net.engines()).toEqual([]);
  expect(client.states.at(-1)).toMatchObject({ state: 'disconnected' });
});
