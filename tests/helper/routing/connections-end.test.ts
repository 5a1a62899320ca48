import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addresses, ports } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
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

test.each(['ipv4', 'ipv6'] as const)(
  'a connection of %s that was made through the tunnel ends with it, and says nothing outside',
  async (family) => {
    const marker = `talk${family}`;
    // The positive control: outside a tunnel the same talk is seen.
    const before = await net.lab.capture();
    const direct = await talk(addresses.echo[family], marker);
    direct.kill('SIGKILL');
    expect(findLeaks(await before.stop(), marker)).not.toEqual([]);

    const client = await net.connect();
    const program = await talk(addresses.echo[family], marker);
    const ended = once(program, 'exit');
    const capture = await net.lab.capture(`src ${addresses.user[family]} or tcp port ${ports.echo}`);
    await client.call('disconnect', {});
    await delay(500);
    expect(findLeaks(await capture.stop(), marker)).toEqual([]);
    await ended;
  },
);
