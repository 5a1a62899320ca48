import { mkdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { watchLeaks } from '../../lab/packets/watch-leaks.ts';
import { words } from '../../lab/runs/process.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';

/** The journal's disk is full: nothing more can be written to it. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab();
  await mkdir(net.stateDirectory, { recursive: true });
  await net.lab.user.run(words(`mount -t tmpfs -o size=64k tmpfs ${net.stateDirectory}`));
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

const filler = () => `${net.stateDirectory}/filler`;

async function fillDisk(): Promise<void> {
  const { stderr } = await net.lab.user.exec(words(`dd if=/dev/zero of=${filler()} bs=4k`));
  expect(stderr).toContain('No space left');
}

test('a change of routing is refused, and the tunnel stays as it was', async () => {
  const leaksWhile = await watchLeaks(net.lab);
  const client = await net.connect();
  await fillDisk();
  const seen = client.states.length;
  const routings: Routing[] = [
    { mode: 'global', localNetwork: true },
    { mode: 'pac', routeDomains: [names.where], blockedDomains: [] },
    { mode: 'ip', policy: 'include', routeIps: ['198.18.0.0/15'], localNetwork: false },
  ];
  const leaks = await leaksWhile(async () => {
    for (const routing of routings) {
      await expect(client.call('setRouting', { routing })).rejects.toThrow();
      expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    }
  });
  expect(leaks).toEqual([]);
  // What else is learnt of it, as that it has DTLS, may be told.
  const now = client.states.slice(seen).map((state) => state.state === 'connected' && state.routing);
  expect(now.filter((one) => !isDeepStrictEqual(one, net.request().routing))).toEqual([]);
  expect(await net.proxies()).toEqual([]);

  await net.lab.user.run(['rm', filler()]);
  const [local = { mode: 'global', localNetwork: true }] = routings;
  await client.call('setRouting', { routing: local });
  expect(client.states.at(-1)).toMatchObject({ state: 'connected', routing: local });
  await client.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

test('with the kill switch on, what follows a killed helper blocks until the user opens it', async () => {
  await (await net.attach()).call('connect', net.request({ killSwitch: true }));
  await fillDisk();
  await net.end('SIGKILL');
  await net.start();
  const client = await net.attach();
  await client.until('disconnected');
  expect(client.states.at(-1)).toMatchObject({ reason: 'configuration-failed', blocked: true });
  expect(await net.lab.user.seenFrom()).toBeUndefined();
  await client.call('disconnect', {});
  expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});
