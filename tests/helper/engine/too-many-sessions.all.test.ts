import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { endProcess } from '../../lab/runs/process.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab({ gateway: { options: ['max-same-clients = 1'] } });
  await net.start();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

/** ocserv refuses the sessions that it has just given, in the same words as those that are over. */
test('a gateway that allows one connection refuses each new session of a second one', async () => {
  const { lab } = net;
  const session = await net.signIn();
  const cookie = path.join(lab.directory, 'cookie');
  await writeFile(cookie, `${session.cookie}\n`);
  const elsewhere = [
    'openconnect --non-inter --script=/bin/true --cookie-on-stdin',
    `--servercert=${session.certificatePin}`,
    `--resolve=${lab.gateway.name}:${lab.gateway.address.ipv4}`,
    `https://${lab.gateway.name} <${cookie}`,
  ].join(' ');
  const other = await lab.internet.spawnUntil(['sh', '-c', `exec ${elsewhere}`], /Configured as/);
  const client = await net.attach();
  await client.call('connect', net.request({ session: await net.signIn() }));
  const untilRefused = (seen: number) =>
    client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
  await untilRefused(0);
  for (let refusals = 0; refusals < 2; refusals += 1) {
    const seen = client.states.length;
    await client.call('provideSession', { session: await net.signIn() });
    await untilRefused(seen);
  }
  expect(client.states.map(({ state }) => state)).not.toContain('connected');
  expect(await lab.gateway.log()).toContain('tried to connect more than 1 times');
  // The gateway learns of it when it comes to that.
  const hasEnded = async () =>
    (await lab.gateway.log())
      .split('\n')
      .some((line) => line.includes('user disconnected') && !line.includes(addresses.user.ipv4));
  expect(await hasEnded()).toBe(false);
  await endProcess(other, 'SIGINT');
  await expect.poll(hasEnded).toBe(true);
  const seen = client.states.length;
  await client.call('provideSession', { session: await net.signIn() });
  await client.until('connected', { seen });
});
