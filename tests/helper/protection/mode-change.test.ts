import { randomInt } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { findLeaks, type Leak } from '../../lab/packets/leaks.ts';
import { watchLeaks, type Sender } from '../../lab/packets/watch-leaks.ts';
import { processesBeside } from '../../lab/machine/processes.ts';
import { endProcess, eventually, words } from '../../lab/runs/process.ts';
import { proxyGone } from '../support/helper-lab.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { proxyOf } from '../support/proxy/proxy-of.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { silenceLimit, waitLimit } from '../../lab/runs/wait-limit.ts';
import { curlLimits } from '../../lab/probes/probe.ts';

const net = helperLabForEach();

const everything: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };
const routings = { global: everything, pac };

/** How often each thing is done. */
const rounds = isExhaustive ? 4 : 1;
const either = [{ killSwitch: false }, { killSwitch: true }];

// While connected, the kill switch changes nothing.
test.each(casesOf({ usual: [{ killSwitch: false }], all: either }))(
  'with %o nothing leaves outside once everything is routed again, and what comes to the proxy stays inside',
  async ({ killSwitch }) => {
    const client = await net.connect({ routing: everything, killSwitch });
    const stream = await net.lab.user.probe.stream('switching', 5);
    try {
      for (let round = 0; round < rounds; round += 1) {
        // What leaves, that is: servers go on sending again what they have no acknowledgement for.
        const capture = await net.lab.capture(
          `src host ${addresses.user.ipv4} or src host ${addresses.user.ipv6}`,
        );
        await client.call('setRouting', { routing: pac });
        // The positive control: the same stream is seen while only the proxy's traffic is routed.
        const seen = new Set<Leak['kind']>();
        await eventually('each kind is seen', async () => {
          for (const { kind } of findLeaks(await capture.packets(), 'switching')) seen.add(kind);
          return (['dns', 'cleartext', 'ipv6'] as const).every((kind) => seen.has(kind)) || undefined;
        });
        await client.call('setRouting', { routing: everything });
        const closed = Date.now();
        await delay(300);
        const leaks = findLeaks(await capture.stop(), 'switching');
        expect(leaks.filter(({ packet }) => packet.time > closed)).toEqual([]);
      }
    } finally {
      await stream[Symbol.asyncDispose]();
    }
    await client.call('setRouting', { routing: pac });
    const proxy = proxyOf(client).address;
    const ask =
      (...args: string[]): Sender =>
      async (marker) => {
        const url = `http://${marker}.${names.probes}/${marker}`;
        const asking = net.lab.user.spawn([
          'bash',
          '-c',
          `while :; do curl --silent --max-time 1 ${args.join(' ')} ${url}; sleep 0.005; done`,
        ]);
        return {
          async [Symbol.asyncDispose]() {
            await endProcess(asking, 'SIGKILL');
            await eventually('nobody asks any more', () => {
              const isOver = !processesBeside(net.lab.user.pid).some(({ name }) => name === 'curl');
              return isOver || undefined;
            });
          },
        };
      };
    const leaksWhile = await watchLeaks(net.lab, {
      control: ask('--noproxy', "'*'"),
      send: ask('--proxy', `socks5h://${proxy}`),
      kinds: ['cleartext', 'dns'],
      // In this mode the echoes may be asked, and the kernel still closes the stream's connections there.
      filter: `not port ${ports.echo}`,
    });
    const leaks = await leaksWhile(async (marker) => {
      // The tunnel's resolver is asked by the proxy.
      await eventually('the proxy is asked', async () => {
        const asked = await net.lab.gatewayMachine.queries();
        return asked.some(({ name }) => name.startsWith(`${marker}.`)) || undefined;
      });
      for (let round = 0; round < rounds; round += 1) {
        for (const routing of [everything, pac]) await client.call('setRouting', { routing });
      }
      await client.call('disconnect', {});
      await delay(200);
    });
    expect(leaks).toEqual([]);
  },
);

if (isExhaustive)
  describe.each(either)('with %o', ({ killSwitch }) => {
    test.each(['pac', 'global'] as const)(
      'a helper that is killed at any moment of the switch to %s leaves nothing that the next does not put right',
      { timeout: waitLimit(180_000) },
      async (to) => {
        const before = await net.lab.user.snapshot();
        const [from, target] = [routings[to === 'pac' ? 'global' : 'pac'], routings[to]];
        for (let round = 0; round < rounds; round += 1) {
          const client = await net.connect({ routing: from, killSwitch });
          client.call('setRouting', { routing: target }).catch(() => undefined);
          // A switch takes some 100 ms, the start of a proxy some 400.
          await delay(randomInt(0, to === 'pac' ? 600 : 150));
          await net.end('SIGKILL');
          await net.start();
          const again = await net.attach();
          if (killSwitch) {
            const { connection } = JSON.parse(
              await readFile(path.join(net.stateDirectory, 'journal.json'), 'utf8'),
            ) as { connection: { routing: Routing } };
            const isGlobal = connection.routing.mode === 'global';
            const reached = await net.lab.user.probe.http4('after');
            expect(reached?.address).toBe(isGlobal ? undefined : addresses.user.ipv4);
          }
          await again.call('disconnect', {});
          await proxyGone(net);
          expect(await net.lab.user.snapshot()).toBe(before);
        }
      },
    );
  });

if (isExhaustive)
  test('a proxy that a killed helper left behind goes if everything is to be routed', async () => {
    await net.connect({ routing: pac, killSwitch: true });
    await net.end('SIGKILL');
    expect(await net.proxies()).toHaveLength(1);
    // As if it had been killed between noting the new way down and ending the proxy.
    const file = path.join(net.stateDirectory, 'journal.json');
    const journal = JSON.parse(await readFile(file, 'utf8')) as { connection: { routing: Routing } };
    journal.connection.routing = everything;
    await writeFile(file, JSON.stringify(journal));
    await net.start();
    await proxyGone(net);
  });

if (isExhaustive)
  test('nobody gets the port of a proxy that is killed before the next one has it', async () => {
    const proxy = proxyOf(await net.connect({ routing: pac }));
    const script = `
    const listen = () => require('node:net').createServer().on('error', () => setTimeout(listen, 1))
      .listen(${proxy.address.split(':')[1]}, '127.0.0.1', () => console.log('taken'));
    console.log('waiting');
    listen();`;
    const squatter = await net.lab.user.spawnUntil([process.execPath, '-e', script], /waiting/);
    const heard: string[] = [];
    squatter.stdout?.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    const [killed] = await net.proxies();
    process.kill(Number(killed), 'SIGKILL');
    const curl = words(`curl --silent --proxy socks5h://${proxy.address} http://${names.echo}/x`);
    await eventually('the next proxy answers', async () => {
      const { code } = await net.lab.user.exec([...curl, ...curlLimits()]);
      return code === 0 || undefined;
    });
    expect(await net.proxies()).not.toEqual([killed]);
    squatter.kill('SIGKILL');
    expect(heard.join('')).not.toContain('taken');
  });

if (isExhaustive)
  test('a proxy goes on being looked after when a connection could not be noted down', async () => {
    const client = await net.connect({ routing: pac, killSwitch: true });
    const obstacle = path.join(net.stateDirectory, 'journal.json.new');
    await mkdir(obstacle);
    await client.call(
      'connect',
      net.request({ session: await net.signIn(), routing: pac, killSwitch: true }),
    );
    await client.until('disconnected');
    await rm(obstacle, { recursive: true });
    await net.connect({ routing: pac, killSwitch: true });
    await client.call('disconnect', {});
    // Longer than it takes to start another one.
    await delay(silenceLimit(1_500, 15_000));
    expect(await net.proxies()).toEqual([]);
  });

if (isExhaustive)
  test(
    'a storm of commands leaves nothing behind, and the last routing holds',
    { timeout: waitLimit(120_000) },
    async () => {
      const before = await net.lab.user.snapshot();
      const client = await net.attach();
      const session = await net.signIn();
      const calls: Promise<unknown>[] = [];
      // Without a connection, a routing is refused.
      const send = (call: Promise<unknown>) => calls.push(call.catch(() => undefined));
      for (let round = 0; round < 40; round += 1) {
        const routing = round % 2 === 0 ? pac : everything;
        if (round % 13 === 0) send(client.call('connect', net.request({ session, routing })));
        if (round % 17 === 16) send(client.call('disconnect', {}));
        send(client.call('setRouting', { routing }));
        await delay(randomInt(0, 60));
      }
      await Promise.all(calls);
      // Without a session, so that the helper carries the sign-in: past what the storm may have left connected, nobody
      // gets.
      await client.call('connect', net.request({ routing: everything }));
      await client.call('provideSession', { session: await net.signIn() });
      const phases = ['handshaking', 'configuring'];
      await client.call('setRouting', { routing: pac });
      await client.until('connected', { where: ({ routing }) => routing.mode === 'pac' });
      expect(client.states.map((state) => (state.state === 'connecting' ? state.phase : ''))).toEqual(
        expect.arrayContaining(phases),
      );
      await client.call('setRouting', { routing: everything });
      await proxyGone(net);
      expect(await net.lab.user.seenFrom('x')).toBe(addresses.gateway.ipv4);
      await client.call('disconnect', {});
      expect(await net.lab.user.snapshot()).toBe(before);
    },
  );

if (isExhaustive)
  test('a client that has long lists put in force faster than that goes is let go', async () => {
    const client = await net.connect({ routing: everything });
    const flood = await net.attach();
    flood.socket.on('error', () => undefined);
    const closed = new Promise((resolve) => flood.socket.once('close', resolve));
    const routeDomains = Array.from(
      { length: 100_000 },
      (_, index) => `name-${index}.of-some-length.example`,
    );
    for (let count = 0; count < 8; count += 1) {
      flood.call('setRouting', { routing: { ...pac, routeDomains } }).catch(() => undefined);
    }
    await closed;
    await client.call('setRouting', { routing: everything });
    expect(client.states.at(-1)).toMatchObject({ state: 'connected', routing: everything });
    await client.call('disconnect', {});
  });
