import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Routing } from '#shared/tunnel/state.ts';
import { builtRenderer } from '../../e2e/support/host/paths.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { createHelperLab, type HelperLab } from '../../helper/support/helper-lab.ts';
import type { TestClient } from '../../helper/support/callers/test-client.ts';
import { createTimedGroup, type TimedGroup } from '../measure/cgroup-time.ts';
import { startArrivals } from '../measure/arrivals.ts';
import { byTurns, row, type Row } from '../row.ts';

/**
 * Mode ip. `ip-3912`: a country's prefixes set and removed, against the stock vpnc-script with as many split-includes.
 * `ip-100k`: the time on processors of a hundred thousand, against ip(8) that adds as many routes in one batch and
 * flushes them. `ip-packet`: what a datagram of a connected socket costs beside so many prefixes, against beside one.
 * `mode-change`: until the first packet takes the new way, against the tenth of a second that nobody notices.
 */
export const ipRows = ['ip-3912', 'ip-100k', 'ip-packet', 'mode-change'] as const;

const builtHelper = path.join(path.dirname(builtRenderer), 'helper/helper.mjs');

const rounds = 5;
const lower = { unit: 'ms', better: 'lower' } as const;
const noticedMs = 100;
const packets = 200_000;

const everything: Routing = { mode: 'global', localNetwork: false };
const listed = (routeIps: string[]): Routing => ({
  mode: 'ip',
  policy: 'include',
  routeIps,
  localNetwork: false,
});

/** Every other network of 24 bits, which no two can be joined of. */
const hundredThousand = Array.from({ length: 100_000 }, (_, index) => {
  const network = 2 * index;
  return `${11 + (network >> 16)}.${(network >> 8) & 255}.${network & 255}.0/24`;
});

async function countryPrefixes(): Promise<string[]> {
  const file = path.join(import.meta.dirname, '../../fixtures/route-lists/cn-ipv4-prefixes.txt');
  return (await readFile(file, 'utf8')).split('\n').filter((line) => /^\d/.test(line));
}

export async function* measureIp(isWanted: (name: string) => boolean): AsyncGenerator<Row> {
  await using group = await createTimedGroup();
  await using net = await createHelperLab();
  await net.start({ script: builtHelper, under: group.under });
  const client = await net.connect();
  if (isWanted('ip-3912')) yield await measureCountry(net, client);
  if (isWanted('ip-100k')) yield await measureHundredThousand(net, client, group);
  if (isWanted('ip-packet')) yield await measurePackets(net, client);
  if (isWanted('mode-change')) yield await measureChange(net, client);
  await client.call('disconnect', {});
  await net.end('SIGTERM');
}

const route = (client: TestClient, routing: Routing) => client.call('setRouting', { routing });

async function timed(task: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

async function measureCountry(net: HelperLab, client: TestClient): Promise<Row> {
  const prefixes = await countryPrefixes();
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(
      await timed(async () => {
        await route(client, listed(prefixes));
        await route(client, everything);
      }),
    );
    // Or it would be found where it was.
    await route(client, listed(prefixes.slice(round + 1)));
    await route(client, listed(prefixes.slice(-round - 1)));
    await route(client, everything);
  }
  // It takes minutes, so once is enough.
  const peer = [await timed(() => runStockScript(net, prefixes))];
  return row('ip-3912', { ours, peer }, lower);
}

/** What openconnect has its script do (vpnc-script, "List of parameters passed through environment"). */
async function runStockScript({ lab }: HelperLab, prefixes: readonly string[]): Promise<void> {
  const env: Record<string, string> = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    TUNDEV: 'peer0',
    VPNGATEWAY: addresses.gateway.ipv4,
    INTERNAL_IP4_ADDRESS: '198.51.100.250',
    INTERNAL_IP4_MTU: '1400',
    CISCO_SPLIT_INC: String(prefixes.length),
  };
  for (const [index, prefix] of prefixes.entries()) {
    const [address = '', length = ''] = prefix.split('/');
    env[`CISCO_SPLIT_INC_${index}_ADDR`] = address;
    env[`CISCO_SPLIT_INC_${index}_MASKLEN`] = length;
    env[`CISCO_SPLIT_INC_${index}_MASK`] = maskOf(Number(length));
  }
  await lab.user.run(words('ip tuntap add dev peer0 mode tun'));
  for (const reason of ['connect', 'disconnect']) {
    await lab.user.run(['/usr/share/vpnc-scripts/vpnc-script'], {
      env: { ...env, reason },
      timeout: 600_000,
    });
  }
  await lab.user.run(words('ip link del peer0'));
}

const maskOf = (length: number) =>
  [0, 8, 16, 24].map((at) => 256 - 2 ** (8 - Math.min(8, Math.max(0, length - at)))).join('.');

async function measureHundredThousand(
  { lab }: HelperLab,
  client: TestClient,
  group: TimedGroup,
): Promise<Row> {
  await using peers = await createTimedGroup();
  const batch = hundredThousand.map((prefix) => `route add ${prefix} dev lo table 5190\n`).join('');
  const underPeer = (argv: string, input = '') => lab.user.run([...peers.under, ...words(argv)], { input });
  const samples = await byTurns(rounds, {
    ours: async () => {
      // Another list each time, so that none is found where it was.
      const fresh = [...hundredThousand];
      fresh[0] = `203.0.113.${Math.trunc(performance.now()) % 80}/32`;
      const before = await rested(group);
      await route(client, listed(fresh));
      await route(client, everything);
      return (await rested(group)) - before;
    },
    peer: async () => {
      const before = await peers.processorTime();
      await underPeer('ip -batch -', batch);
      await underPeer('ip route flush table 5190');
      return (await peers.processorTime()) - before;
    },
  });
  return row('ip-100k', samples, lower);
}

/** What a group has used, when what was set in motion has come to rest. */
async function rested(group: TimedGroup): Promise<number> {
  return eventually('it rests', async () => {
    const before = await group.processorTime();
    await delay(500);
    const now = await group.processorTime();
    return now - before < 25 ? now : undefined;
  });
}

async function measurePackets({ lab }: HelperLab, client: TestClient): Promise<Row> {
  const script = path.join(import.meta.dirname, 'send-packets.ts');
  const send = async () =>
    Number(
      await lab.user.run([process.execPath, script, addresses.direct.ipv4, String(packets)], {
        timeout: 60_000,
      }),
    );
  const beside = (prefixes: string[]) => async () => {
    await route(client, listed(prefixes));
    return await send();
  };
  const samples = await byTurns(rounds, {
    ours: beside(hundredThousand),
    peer: beside(hundredThousand.slice(0, 1)),
  });
  await route(client, everything);
  return row('ip-packet', samples, { unit: 'ns', better: 'lower' });
}

/** From the request to the first packet that arrives by the new way, there and back; none may be lost on it. */
async function measureChange({ lab }: HelperLab, client: TestClient): Promise<Row> {
  const prefixes = await countryPrefixes();
  const ours: number[] = [];
  await using arrivals = await startArrivals(lab);
  // What both modes carry, and what changes its way.
  const ways = [
    { routing: listed([...prefixes, `${addresses.echo.ipv4}/32`]), from: addresses.user.ipv4 },
    { routing: everything, from: addresses.gateway.ipv4 },
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const { routing, from } of ways) {
      const start = performance.timeOrigin + performance.now();
      await route(client, routing);
      ours.push((await arrivals.firstFrom(from, start)) - start);
    }
  }
  const lost = await arrivals.lost();
  if (lost > 0) throw new Error(`${lost} packets were lost that both modes carry`);
  return row('mode-change', { ours, peer: [noticedMs] }, lower);
}
