import { expect, onTestFinished, test } from 'vitest';
import { helperLabForEach } from '../support/lab-for-each.ts';

const net = helperLabForEach();

/** Devices in a home are found by it (UPnP Device Architecture, SSDP). */
const group = '239.255.255.250';
const everybody = '255.255.255.255';

/** Sends from a socket that names neither an address nor a device, as most programs do. */
const send = `
  const socket = require('node:dgram').createSocket('udp4');
  socket.bind(0, () => {
    socket.setBroadcast(true);
    let left = 2;
    const done = () => --left || socket.close();
    for (const to of ${JSON.stringify([group, everybody])}) socket.send('x', 1900, to, done);
  });`;

async function seenOnLink(): Promise<string[]> {
  const capture = await net.lab.capture('udp port 1900');
  await net.lab.user.exec([process.execPath, '-e', send]);
  return [...new Set((await capture.stop()).map(({ destination }) => destination))].sort();
}

test.each([true, false])(
  'with the local network open: %s, it is asked what is in it',
  async (localNetwork) => {
    const address = (verb: 'add' | 'del') =>
      net.lab.user.run(['ip', 'address', verb, '192.168.37.9/24', 'dev', 'uplink']);
    await address('add');
    onTestFinished(async () => void (await address('del')));
    expect(await seenOnLink(), 'positive control').toEqual([group, everybody]);
    await net.connect({ routing: { mode: 'global', localNetwork } });
    expect(await seenOnLink()).toEqual(localNetwork ? [group, everybody] : []);
  },
);
