import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { narrowPath } from '../../lab/network/narrow-path.ts';
import { setKernel } from '../../lab/network/network.ts';
import { words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';

/** `connected` is known: packets pass through a real gateway, or the state says what does not. */

let net: HelperLab;
/** Those of one test: a user has only so many connections to the helper. */
const clients: TestClient[] = [];
beforeAll(async () => {
  net = await createHelperLab();
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

/** What the gateway's machine does with packets from tunnels; one hook and its rules. */
async function gatewayDrops(hook: string, rule: string): Promise<void> {
  await net.lab.gatewayMachine.run(words('nft -f -'), {
    input: `table inet broken
      delete table inet broken
      table inet broken { chain broken { type filter hook ${hook}; iifname "vpns*" ${rule}; }; }`,
  });
}
const mendGateway = () =>
  net.lab.gatewayMachine.run(words('nft -f -'), { input: 'table inet broken\ndelete table inet broken' });

afterEach(async () => {
  await mendGateway();
  const client = await net.attach();
  await client.call('disconnect', {});
  for (const used of [client, ...clients.splice(0)]) used[Symbol.dispose]();
});

const global: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.echo], blockedDomains: [] };

/** An open port and a closed one: a connection that is refused has come through too. */
const targets = {
  answers: [{ address: addresses.echo.ipv4, port: ports.http }],
  refuses: [{ address: addresses.service.ipv4, port: 81 }],
};

const problems = (client: TestClient) =>
  client.states.flatMap((state) => (state.state === 'connected' ? [state.problems ?? []] : []));

/** The attempts that were made, each once. */
const attempts = (client: TestClient) => [
  ...new Set(client.states.flatMap((state) => (state.state === 'connecting' ? [state.attempt] : []))),
];

/** Waits until the tunnel is up with exactly these problems. */
const until = (client: TestClient, wanted: readonly string[], seen = 0) =>
  client.until('connected', {
    seen,
    where: (state) => (state.problems ?? []).join() === wanted.join(),
    limitMs: 60_000,
  });

/** Mends what is broken, and waits until nothing is. */
async function mended(client: TestClient, mend: () => Promise<unknown>): Promise<void> {
  const seen = client.states.length;
  await mend();
  await until(client, [], seen);
}

// What is probed, and what becomes of it, is the same in every mode.
const byGlobal = { mode: 'global', routing: global };
describe.each(casesOf({ usual: [byGlobal], all: [byGlobal, { mode: 'pac', routing: pac }] }))(
  'routing by $mode',
  { timeout: waitLimit(90_000) },
  ({ routing }) => {
    const connect = async (changes = {}) => {
      const client = await net.attach();
      clients.push(client);
      const session = await net.signIn();
      await client.call('connect', net.request({ session, routing, ...changes }));
      return client;
    };

    test.each(casesOf({ usual: ['refuses'], all: ['answers', 'refuses'] } as const))(
      'a sound gateway has no problems: the target %s',
      async (kind) => {
        const logged = net.log().length;
        const client = await connect({ reachabilityTargets: targets[kind] });
        const { addresses: own } = await client.until('connected');
        expect(Object.keys(own).sort()).toEqual(['ipv4', 'ipv6']);
        // The round of probes ends with whatever it has found.
        await expect
          .poll(() => net.log().slice(logged), { timeout: waitLimit(20_000) })
          .toContain('was probed');
        expect(problems(client).flat()).toEqual([]);
      },
    );

    test('nothing passes: another engine, then nothing-passes, until something does', async () => {
      await gatewayDrops('prerouting priority raw', 'drop');
      const client = await connect();
      await until(client, ['nothing-passes']);
      expect(attempts(client)).toEqual([1, 2]);
      expect(problems(client)).toEqual([['nothing-passes']]);
      await mended(client, mendGateway);
    });

    test('a gateway that forwards to an inner network only: no-internet, until it does', async () => {
      await gatewayDrops('forward priority filter', 'drop');
      const client = await connect({ reachabilityTargets: targets.answers });
      await until(client, ['no-internet']);
      await mended(client, mendGateway);
    });

    test('IPv6 alone is dropped: ipv6-silent, and IPv4 goes on', async () => {
      await gatewayDrops('prerouting priority raw', 'meta nfproto ipv6 drop');
      const client = await connect();
      await until(client, ['ipv6-silent']);
      expect(attempts(client)).toEqual([1]);
      await mended(client, mendGateway);
    });

    test('resolvers that are not there: dns-silent, until they answer', async () => {
      await gatewayDrops('input priority filter', 'meta l4proto udp th dport 53 reject');
      const client = await connect();
      await until(client, ['dns-silent']);
      await mended(client, mendGateway);
    });

    if (isExhaustive)
      test('a tunnel in use falls silent: another engine, then nothing-passes', async () => {
        const client = await connect();
        const { addresses: own } = await client.until('connected');
        await gatewayDrops('prerouting priority raw', 'drop');
        const noticed = until(client, ['nothing-passes']);
        // What is sent while the tunnel is still being probed for the first time is no use of it yet.
        await sendUntil(noticed, own.ipv4 ?? '');
        expect(attempts(client)).toEqual([1, 2]);
      });

    test.each(casesOf<LossyPath>({ usual: lossyPaths.slice(0, 2), all: lossyPaths }))(
      'a path that begins to lose large packets $way: the tunnel gets smaller, and data arrives again',
      async ({ which, pings }) => {
        // As systemd has it (its 50-default.conf), and as the kernel has it.
        await setKernel(net.lab.user, [`net.ipv4.ping_group_range=${pings ? '0 2147483647' : '1 0'}`]);
        const client = await connect();
        const { addresses: own } = await client.until('connected', {
          where: ({ transport }) => transport === 'dtls',
        });
        const before = await tunnelMtu();
        expect(await comesBack(own.ipv4 ?? '', before, 10)).toBe(true);
        const seen = client.states.length;
        await using narrow = new AsyncDisposableStack();
        narrow.use(await pathLoses(1_250, which));
        expect(await comesBack(own.ipv4 ?? '', before)).toBe(false);
        await getsSmaller(client, seen, before);
        expect(attempts(client)).toEqual(net.engine === 'own' ? [1] : [1, 2]);
        expect(await tunnelMtu()).toBeLessThan(before);
        // Both ways, and in the largest packets that there are.
        expect(await isEchoed(own.ipv4 ?? '')).toBe(true);
      },
    );

    test.each(casesOf<LossyPath>({ usual: lossyPaths.slice(0, 1), all: lossyPaths }))(
      'a path by TLS alone that begins to lose large packets $way: data arrives again',
      { timeout: waitLimit(240_000) },
      async ({ which }) => {
        const session = await net.signIn();
        await using narrow = new AsyncDisposableStack();
        narrow.use(await pathLoses(0, 'udp dport 443'));
        const client = await connect({ session });
        const { addresses: own } = await client.until('connected', { limitMs: 60_000 });
        expect(await isEchoed(own.ipv4 ?? '')).toBe(true);
        const seen = client.states.length;
        // Ends with the other.
        await pathLoses(1_250, which);
        await expect.poll(() => isEchoed(own.ipv4 ?? ''), { timeout: waitLimit(150_000) }).toBe(true);
        expect(client.states.slice(seen).map(({ state }) => state)).toContain('connecting');
      },
    );

    test("another device of the gateway has the client's address: ipv4-silent, until it is gone", async () => {
      const first = await connect();
      const { addresses: own } = await first.until('connected');
      await first.call('disconnect', {});
      await first.until('disconnected', { seen: 2 });
      const { gatewayMachine } = net.lab;
      // Before the tunnel's own device comes, as that of a session whose end the gateway has missed.
      await gatewayMachine.run(words('ip tuntap add stale0 mode tun'));
      try {
        await gatewayMachine.run(
          words(`ip address add ${addresses.gateway.ipv4} peer ${own.ipv4} dev stale0`),
        );
        await gatewayMachine.run(words('ip link set stale0 up'));
        const client = await connect();
        const { addresses: again } = await until(client, ['ipv4-silent']);
        expect(again.ipv4).toBe(own.ipv4);
        await mended(client, () => gatewayMachine.run(words('ip link del stale0')));
      } finally {
        await gatewayMachine.exec(words('ip link del stale0'));
      }
    });
  },
);

/** openconnect makes way for another one; our own engine stays. */
async function getsSmaller(client: TestClient, seen: number, before: number): Promise<void> {
  if (net.engine === 'openconnect') {
    await client.until('connected', { seen, after: 'connecting', limitMs: 60_000 });
    return;
  }
  const isSmaller = async () => (await tunnelMtu()) < before;
  await expect.poll(isSmaller, { timeout: waitLimit(30_000) }).toBe(true);
}

/** What a path loses, and whether the helper may ask others for answers of a size. */
interface LossyPath {
  way: string;
  which: string;
  pings: boolean;
}
const lossyPaths: readonly LossyPath[] = [
  { way: 'both ways', which: '', pings: false },
  { way: 'on the way back alone', which: 'oifname user0', pings: true },
  { way: 'on the way to the gateway alone', which: 'iifname user0', pings: false },
];

/**
 * Sends into the tunnel until something has happened, in every routing mode: the packets come from the tunnel's own
 * address.
 */
async function sendUntil(happened: Promise<unknown>, own: string): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  happened.then(end, end);
  while (!over.signal.aborted)
    await net.lab.user.exec(words(`ping -c 1 -W 1 -I ${own} ${addresses.inside.ipv4}`));
  await happened;
}

/** Packets of more bytes vanish between the user's machine and the gateway, without a word to anybody. */
function pathLoses(bytes: number, which?: string): Promise<AsyncDisposable> {
  const { internet, user, gatewayMachine } = net.lab;
  return narrowPath({ internet, ends: [user, gatewayMachine] }, bytes, which);
}

const tunnelMtu = async () => Number(await net.lab.user.run(words('cat /sys/class/net/wm0/mtu')));

/** Whether an answer of that many bytes comes back to a packet of as many. */
async function comesBack(own: string, bytes: number, seconds = 1): Promise<boolean> {
  const ping = `ping -c 1 -W ${seconds} -M do -s ${bytes - 28} -I ${own} ${addresses.inside.ipv4}`;
  return (await net.lab.user.exec(words(ping))).code === 0;
}

/** Whether data of many packets comes back through the tunnel. */
async function isEchoed(own: string): Promise<boolean> {
  const bytes = 200_000;
  const { inside } = addresses;
  const script = `
    const socket = require('node:net').connect({ host: '${inside.ipv4}', port: ${ports.echo}, localAddress: '${own}' });
    let left = ${bytes};
    socket.on('data', (chunk) => (left -= chunk.length) || process.exit(0));
    socket.on('error', () => process.exit(1));
    socket.write(Buffer.alloc(${bytes}));`;
  const limit = `timeout ${waitLimit(10_000) / 1_000}`;
  return (await net.lab.user.exec([...words(limit), process.execPath, '-e', script])).code === 0;
}
