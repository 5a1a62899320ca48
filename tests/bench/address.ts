import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Routing } from '#shared/tunnel/state.ts';
import { builtRenderer, root } from '../e2e/support/paths.ts';
import { createHelperLab, type HelperLab } from '../helper/support/helper-lab.ts';
import { words } from '../lab/process.ts';
import { byTurns, row, type Row } from './row.ts';

const rounds = 5;
const builtHelper = path.join(path.dirname(builtRenderer), 'helper/helper.mjs');

export const addressRows = ['ip-3912', 'ip-100k'] as const;

const lists: Record<(typeof addressRows)[number], () => Promise<string[]>> = {
  'ip-3912': async () =>
    (await readFile(path.join(root, 'tests/fixtures/route-lists/cn-ipv4-prefixes.txt'), 'utf8'))
      .split('\n')
      .filter((line) => /^\d/.test(line)),
  'ip-100k': async () =>
    Array.from({ length: 100_000 }, (_, index) => {
      const network = 2 * index;
      return `${11 + (network >> 16)}.${(network >> 8) & 255}.${network & 255}.0/24`;
    }),
};

/**
 * A list put in force and taken away again, in seconds: ours with its packet filter, by two changes of the routing mode,
 * beside ip(8) with nothing but routes, in one batch and one flush.
 */
export async function* measureAddress(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  if (!addressRows.some(isWanted)) return;
  await using net = await createHelperLab();
  await net.start({ script: builtHelper });
  const global: Routing = { mode: 'global', localNetwork: false };
  const client = await net.connect({ routing: global });
  for (const name of addressRows.filter(isWanted)) {
    const routeIps = await lists[name]();
    const byAddress: Routing = { mode: 'ip', policy: 'include', routeIps, localNetwork: false };
    const ours = async () => {
      const begun = performance.now();
      await client.call('setRouting', { routing: byAddress });
      await client.call('setRouting', { routing: global });
      return (performance.now() - begun) / 1000;
    };
    const samples = await byTurns(rounds, { ours, peer: () => byBatch(net, routeIps) });
    yield row(name, samples, { unit: 's', better: 'lower' });
  }
  await client.call('disconnect', {});
}

async function byBatch({ lab: { user } }: HelperLab, prefixes: readonly string[]): Promise<number> {
  const input = prefixes.map((prefix) => `route add ${prefix} dev wm0 table 999\n`).join('');
  const begun = performance.now();
  await user.run(words('ip -batch -'), { input });
  await user.run(words('ip route flush table 999'));
  return (performance.now() - begun) / 1000;
}
