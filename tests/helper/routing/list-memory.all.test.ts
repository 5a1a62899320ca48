import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SharedLists } from '#shared/tunnel/shared-lists.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { eventually } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';

/** What the helper keeps of long lists that were replaced by others. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab();
  const preload = programFile('tests/helper/support/failures/memory-on-signal.ts');
  // With little space for what is new, as when it is installed (resources/linux/waymaker-helper.service).
  const options = `NODE_OPTIONS=--max-semi-space-size=2 --import=${preload}`;
  await net.start({ under: ['env', options, `MEMORY_FILE=${memoryFile()}`] });
});
afterAll(() => net[Symbol.asyncDispose]());

const length = 100_000;
const numbers = (first: number) => Array.from({ length }, (_, index) => 2 * index + first);

/** Every other network of 24 bits from a network of Class A on, of which no two can be joined. */
const prefixes = (first: number): SharedLists => ({
  mode: 'ip',
  routeIps: numbers(first << 16).map(
    (network) => `${network >> 16}.${(network >> 8) & 255}.${network & 255}.0/24`,
  ),
});
const domains = (first: number): SharedLists => ({
  mode: 'pac',
  routeDomains: numbers(first).map((number) => `n${number.toString(36)}.example`),
  blockedDomains: [],
});

const kinds: { lists: SharedLists[]; routing: Routing }[] = [
  {
    lists: [prefixes(20), prefixes(24)],
    routing: { mode: 'ip', policy: 'include', routeIps: [], localNetwork: false },
  },
  {
    lists: [domains(0), domains(1)],
    routing: { mode: 'pac', routeDomains: [], blockedDomains: [] },
  },
];

const memoryFile = () => path.join(net.lab.directory, 'memory');

interface Usage {
  /** What cannot be collected as garbage, in megabytes. */
  live: number;
  /** The same with what the process has not given back, in megabytes. */
  resident: number;
}

async function usage(): Promise<Usage> {
  await rm(memoryFile(), { force: true });
  process.kill(net.pid(), 'SIGUSR2');
  const text = await eventually('the helper has looked', () =>
    readFile(memoryFile(), 'utf8').catch(() => undefined),
  );
  const { heapUsed, external, rss } = JSON.parse(text) as NodeJS.MemoryUsage;
  return { live: (heapUsed + external) / 2 ** 20, resident: rss / 2 ** 20 };
}

/** The least of some, as what a change needs for a while may not be garbage yet. */
async function settledUsage(): Promise<Usage> {
  let least = await usage();
  for (let more = 0; more < 10; more += 1) {
    const { live, resident } = await usage();
    least = { live: Math.min(least.live, live), resident: Math.min(least.resident, resident) };
  }
  return least;
}

/** What the entries of a list take at least, in megabytes. */
const listSize = 4;
const changes = 6;

test.each(kinds)(
  'nothing is kept of lists of $routing.mode that are replaced again and again',
  { timeout: waitLimit(120_000) },
  async ({ lists, routing }) => {
    const client = await net.connect();
    async function changeTo(list: SharedLists) {
      const { name } = await client.call('storeLists', { lists: list });
      await client.call('setRouting', { routing, lists: name });
    }
    for (const list of lists) await changeTo(list);
    const before = await settledUsage();
    for (let change = 0; change < changes; change += lists.length)
      for (const list of lists) await changeTo(list);
    const after = await settledUsage();
    expect(after.live - before.live).toBeLessThan((changes * listSize) / 2);
    // Of what is free again the process gives back some, and not always as much.
    expect(after.resident - before.resident).toBeLessThan(100);
    await client.call('disconnect', {});
  },
);
