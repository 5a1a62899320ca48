import { open } from 'node:fs/promises';
import { uptime } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../lab/runs/process.ts';
import { exchangeStreams } from '../support/hashed-streams.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

/**
 * What becomes of a tunnel when the machine has slept and is in the same network afterwards, which tells nobody
 * anything (coder-desktop-windows 172, tailscale 20353, netbird 583).
 */

const net = helperLabForEach({ engine: 'own' });

/**
 * A helper on a machine whose clock the test sets: of all that a sleep changes, the time since the boot alone goes on
 * meanwhile. `sleep` puts a sleep of so many seconds behind it.
 */
async function startSleeper(): Promise<{ sleep(seconds: number): Promise<void> } & AsyncDisposable> {
  const { user, directory } = net.lab;
  const [real, set] = ['/proc/uptime', path.join(directory, 'uptime')];
  const file = await open(set, 'w+');
  let slept = 0;
  // In one piece, because it is read at any time.
  const write = async () => file.write(`${(uptime() + slept).toFixed(2).padStart(20)} 0.00\n`, 0);
  await write();
  // Like the real one, it goes on by itself.
  const ticking = setInterval(() => void write(), 100);
  await user.run(['mount', '--bind', set, real]);
  await net.end('SIGTERM');
  await net.start();
  return {
    async sleep(seconds) {
      slept += seconds;
      await write();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(ticking);
      await net.end('SIGTERM');
      await user.run(['umount', real]);
      await file.close();
    },
  };
}
const hasWoken = () => net.log().includes('the computer has woken up');

test('a machine that wakes up gets a new engine at once, with the session that it has, and carries streams', async () => {
  await using sleeper = await startSleeper();
  const client = await net.connect();
  const { addresses } = await client.until('connected');
  const [before] = await net.engines();
  const seen = client.states.length;
  await sleeper.sleep(3_600);
  expect((await client.until('connected', { seen, after: 'connecting' })).addresses).toEqual(addresses);
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
  await using sleeper = await startSleeper();
  const client = await net.attach();
  await sleeper.sleep(3_600);
  await eventually('it is noticed', async () => hasWoken() || undefined);
  await client.call('snapshot', {});
  expect(await net.engines()).toEqual([]);
  expect(client.states.at(-1)).toMatchObject({ state: 'disconnected' });
});
