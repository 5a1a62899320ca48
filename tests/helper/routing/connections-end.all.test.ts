import { once } from 'node:events';
import { expect, test } from 'vitest';
import { addresses, ports } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

const net = helperLabForEach();

/** A program that goes on talking to the echo: it says when that answers, and ends when its connection does. */
async function talk(address: string, marker: string) {
  const script = `
    const [, address, port, marker] = process.argv;
    const socket = require('node:net').connect(Number(port), address);
    setInterval(() => socket.write(marker), 20).unref();
    socket.once('data', () => console.log('talking'));
    socket.on('error', () => undefined);
  `;
  return net.lab.user.spawnUntil(
    [process.execPath, '-e', script, address, String(ports.echo), marker],
    /talking/,
  );
}

test('connections that were made through the tunnel end with it, and say nothing outside', async () => {
  const talkers = (['ipv4', 'ipv6'] as const).map((family) => ({
    marker: `talk${family}`,
    address: addresses.echo[family],
  }));
  const talkAll = () => Promise.all(talkers.map(({ address, marker }) => talk(address, marker)));
  // The positive control: outside a tunnel the same talk is seen.
  const before = await net.lab.capture();
  for (const direct of await talkAll()) direct.kill('SIGKILL');
  const open = await before.stop();
  for (const { marker } of talkers) expect(findLeaks(open, marker), marker).not.toEqual([]);

  const client = await net.connect();
  const ended = (await talkAll()).map((program) => once(program, 'exit'));
  const { ipv4, ipv6 } = addresses.user;
  const capture = await net.lab.capture(`src ${ipv4} or src ${ipv6} or tcp port ${ports.echo}`);
  await client.call('disconnect', {});
  // Who still could talk would: a program ends with its connection.
  await Promise.all(ended);
  // What a program has left unsent, the kernel would still send.
  const left = words(`ss -Htn state connected exclude time-wait dport = :${ports.echo}`);
  await eventually('no connection is left', async () => (await net.lab.user.run(left)) === '' || undefined);
  const after = await capture.stop();
  for (const { marker } of talkers) expect(findLeaks(after, marker), marker).toEqual([]);
});
