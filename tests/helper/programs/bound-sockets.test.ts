import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { routingTable } from '../../../helper/linux/identifiers.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { createAdministrator } from '../../lab/machine/administrator.ts';
import { createNeighbour } from '../../lab/network/neighbour.ts';
import { endProcess, eventually, processStartTime, words } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';

/**
 * Routes through other devices, and those that refuse, do not stop sockets that are bound to the uplink: the packet
 * filter alone does. For IPv4, the kernel takes every address for one on the link where it finds no route (Linux,
 * net/ipv4/route.c, ip_route_output_key_hash_rcu), and a neighbour answers for each of them here.
 */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab();
  await createNeighbour(net.lab.user, net.lab.internet);
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());
afterEach(() => net.disconnect());

const { echo } = addresses;
const administrator = () => createAdministrator(net.lab.user);

/** Who sends what belongs in the tunnel, by routing mode. */
const modes: Record<string, { routing: Routing; by: 'anybody' | 'proxy' | 'group' }> = {
  global: { routing: { mode: 'global', localNetwork: false }, by: 'anybody' },
};

/** What others do, and whether it takes the packet filter away. */
const disturbances: Record<string, { takesFilter: boolean; does: () => Promise<unknown> }> = {
  'ip rule flush': { takesFilter: false, does: () => administrator().flushRules() },
  'a flushed table': { takesFilter: false, does: () => administrator().flushRoutes(routingTable) },
  'strict reverse path filtering': {
    takesFilter: false,
    does: () => administrator().setReversePathFilter(1),
  },
  'loose reverse path filtering': { takesFilter: false, does: () => administrator().setReversePathFilter(2) },
  'no reverse path filtering': { takesFilter: false, does: () => administrator().setReversePathFilter(0) },
  'the device removed': { takesFilter: false, does: () => net.lab.user.run(words('ip link del wm0')) },
  'nft flush ruleset': { takesFilter: true, does: () => administrator().flushRuleset() },
};

interface StreamOptions {
  by: 'anybody' | 'proxy' | 'group';
  /** What its sockets are bound to. */
  device: 'uplink' | '-';
  /** It is in each of its packets. */
  mark: string;
  client?: TestClient;
}

async function startStream({ by, device, mark, client }: StreamOptions) {
  const { user } = net.lab;
  const script = path.resolve(import.meta.dirname, '../../lab/probes/bound-stream.ts');
  const stream = [process.execPath, script, device, mark, '20', echo.ipv4, echo.ipv6];
  // It can read this program wherever it is.
  const reads = '--inh-caps=+dac_read_search --ambient-caps=+dac_read_search';
  const asProxy = words(`setpriv --reuid=waymaker-proxy --clear-groups ${reads} --`);
  // Its sockets are made once it is in the group.
  const begin = ['sh', '-c', 'echo waiting; read -r line; exec "$@"', 'sh'];
  const child = user.spawn([...(by === 'proxy' ? asProxy : []), ...begin, ...stream], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const said = (text: string) => eventually(text, () => output.includes(text) || undefined);
  await said('waiting');
  if (by === 'group' && client) await client.call('moveProcess', { pid: child.pid ?? 0, into: 'group' });
  child.stdin?.write('\n');
  await said('sending');
  return { [Symbol.asyncDispose]: () => endProcess(child, 'SIGKILL') };
}

/** What of ours the system has, as text. */
async function ours(): Promise<string> {
  const parts = await Promise.all([
    net.lab.user.exec(words('nft --stateless list table inet waymaker')),
    ...['-4', '-6'].flatMap((family) => [
      net.lab.user.exec(['sh', '-c', `ip ${family} rule show | grep 'proto 87'`]),
      net.lab.user.exec(['ip', family, 'route', 'show', 'table', String(routingTable)]),
    ]),
  ]);
  // Its sets are filled anew under other names, at random.
  return parts.map(({ stdout }) => stdout.replaceAll(/prefixes_[0-9a-f]{12}/g, 'prefixes')).join('---\n');
}

const marks = { bound: 'boundsocket', ordinary: 'ordinarysocket' } as const;
const nothing = { bound: { ipv4: 0, ipv6: 0 }, ordinary: { ipv4: 0, ipv6: 0 } };

/** What left meanwhile from sockets of both kinds, by IP version, and for how long. */
async function leftWhile(during: () => Promise<unknown>) {
  const capture = await net.lab.capture(`udp and port 7`);
  await during();
  const packets = await capture.stop();
  const of = (mark: string) => {
    const marked = packets.filter(({ payload }) => payload.includes(mark));
    const times = marked.map(({ payload }) => Number(payload.toString().split(' ')[1]));
    const count = (family: 'ipv4' | 'ipv6') => marked.filter((packet) => packet.family === family).length;
    return {
      ipv4: count('ipv4'),
      ipv6: count('ipv6'),
      ms: times.length === 0 ? 0 : Math.round(Math.max(...times) - Math.min(...times)),
    };
  };
  return { bound: of(marks.bound), ordinary: of(marks.ordinary) };
}

/** Whether to say how much left, and for how long. */
const printed = process.env['WAYMAKER_PRINT_LEFT'] !== undefined;

const aWhile = () => net.lab.user.probe.http4('meanwhile');

describe.each(Object.entries(modes))('%s', (mode, { routing, by }) => {
  test('sockets that are bound to the uplink send nothing past the tunnel, unless the filter is taken away', async () => {
    const client = await net.connect({ routing, killSwitch: true });
    {
      await using bound = await startStream({ by, device: 'uplink', mark: marks.bound, client });
      await using ordinary = await startStream({ by, device: '-', mark: marks.ordinary, client });
      void [bound, ordinary];
      expect(await leftWhile(aWhile)).toMatchObject(nothing);
      const before = await ours();
      // Whatever takes something away, and the one setting that drops packets.
      const usual = [
        'ip rule flush',
        'a flushed table',
        'strict reverse path filtering',
        'the device removed',
        'nft flush ruleset',
      ];
      for (const name of casesOf({ usual, all: Object.keys(disturbances) })) {
        const { takesFilter, does } = disturbances[name] ?? expect.fail(name);
        const seen = client.states.length;
        const left = await leftWhile(async () => {
          await does();
          if (name === 'the device removed') {
            await client.until('connected', { seen, after: 'connecting' });
          }
          await eventually(`${name} is put right`, async () => {
            // Nobody would put it right.
            if (processStartTime(net.pid()) === undefined) throw new Error(`the helper ended: ${net.log()}`);
            return (await ours()) === before || undefined;
          });
        });
        if (printed) console.log(`${mode}, ${name}: ${JSON.stringify(left)}`);
        // Until the filter is there again, the routing alone refuses what is in ordinary sockets.
        expect({ name, left }).toMatchObject({
          name,
          left: takesFilter ? { ordinary: nothing.ordinary } : nothing,
        });
        expect({ name, left: await leftWhile(aWhile) }).toMatchObject({ name, left: nothing });
      }
    }
    // Both are seen where nothing protects.
    await client.call('disconnect', {});
    const unprotected = by === 'group' ? 'anybody' : by;
    await using bound = await startStream({ by: unprotected, device: 'uplink', mark: marks.bound });
    await using ordinary = await startStream({ by: unprotected, device: '-', mark: marks.ordinary });
    void [bound, ordinary];
    // A neighbour has to be found first, which takes a busy machine longer.
    await eventually('each of them is seen', async () => {
      const { bound: ofBound, ordinary: ofOrdinary } = await leftWhile(aWhile);
      const counts = [ofBound, ofOrdinary].flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]);
      return counts.every((count) => count > 0) || undefined;
    });
  });
});
