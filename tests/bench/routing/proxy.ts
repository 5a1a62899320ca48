import path from 'node:path';
import { builtRenderer, root } from '../../e2e/support/host/paths.ts';
import { startProxy } from '../../helper/support/proxy/proxy-process.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { createLab } from '../../lab/lab.ts';
import { words } from '../../lab/runs/process.ts';
import type { Downloads, Exchanges } from './proxy-load.ts';
import { byTurns, row, type Row } from '../row.ts';

export const proxyRows = ['proxy-throughput', 'proxy-connects', 'proxy-1000'] as const;

const rounds = 5;
const load = path.join(root, 'tests/bench/routing/proxy-load.ts');
const builtProxy = path.join(path.dirname(builtRenderer), 'helper/proxy.mjs');
const ports = { source: 9000, peer: 1080 };
/** How long a thousand are waited for, and how many of them: some are lost where all begin at once, by either proxy. */
const thousandSeconds = 20;
const enough = 990;

/**
 * The proxy of automatic routing beside microsocks, which has a thread for each client, both asked by SOCKS 5 and
 * without a tunnel: four downloads at a time; connections that are opened, answered and closed, fifty at a time; and a
 * thousand downloads that begin at once, in seconds until 990 of them have got anything, or, where fewer have in 20 s,
 * as much longer in proportion: 40 s for half as many.
 */
export async function* measureProxy(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  await using lab = await createLab({ gateway: false });
  await lab.internet.spawnUntil([process.execPath, load, 'source', `${ports.source}`], /ready/);
  const microsocks = `echo ready; exec microsocks -i 127.0.0.1 -p ${ports.peer} 2>/dev/null`;
  await lab.user.spawnUntil(['sh', '-c', microsocks], /ready/);
  await using proxy = startProxy(lab.user, { script: builtProxy });
  const { port } = await proxy.configure();

  const run = async (socksPort: number, kind: string, connections: number, seconds: number) => {
    const target = words(`${socksPort} ${addresses.echo.ipv4} ${ports.source} ${connections} ${seconds}`);
    return JSON.parse(await lab.user.run([process.execPath, load, kind, ...target])) as unknown;
  };
  const throughput = async (socksPort: number) => {
    const { bytes, seconds } = (await run(socksPort, 'downloads', 4, 2)) as Downloads;
    return (bytes * 8) / 1e6 / seconds;
  };
  const connects = async (socksPort: number) => {
    const { done, seconds } = (await run(socksPort, 'exchanges', 50, 2)) as Exchanges;
    return done / seconds;
  };
  const thousand = async (socksPort: number) => {
    const { firstBytes } = (await run(socksPort, 'downloads', 1000, thousandSeconds)) as Downloads;
    const last = firstBytes[enough - 1];
    return last === undefined ? (thousandSeconds * enough) / Math.max(firstBytes.length, 1) : last / 1000;
  };
  const both = (measure: (socksPort: number) => Promise<number>, times: number) =>
    byTurns(times, { ours: () => measure(port), peer: () => measure(ports.peer) });

  if (isWanted('proxy-throughput'))
    yield row('proxy-throughput', await both(throughput, rounds), { unit: 'Mbit/s', better: 'higher' });
  if (isWanted('proxy-connects'))
    yield row('proxy-connects', await both(connects, rounds), { unit: '1/s', better: 'higher' });
  if (isWanted('proxy-1000'))
    yield row('proxy-1000', await both(thousand, 3), { unit: 's', better: 'lower' });
}
