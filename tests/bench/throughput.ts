import { z } from 'zod';
import { addresses } from '../lab/addresses.ts';
import type { Lab } from '../lab/lab.ts';
import { endProcess, words } from '../lab/process.ts';
import { connect, disconnect, type Ours, type Peer, type Rival } from './rivals.ts';
import { byTurns, row, type Row } from './row.ts';

/** Many, since on a few processors what else they do moves a transfer by a tenth. */
const rounds = 9;
const seconds = 3;
const higher = { unit: 'Mbit/s', better: 'higher' } as const;

const report = z.union([
  z.object({ end: z.object({ sum_received: z.object({ bits_per_second: z.number().positive() }) }) }),
  z.object({ error: z.string() }),
]);

/** What the receiver got of a TCP stream through the tunnel, in Mbit/s. */
async function transfer(lab: Lab, direction: 'up' | 'down'): Promise<number> {
  const command = `iperf3 --json --client ${addresses.echo.ipv4} --time ${seconds} --omit 1`;
  const reverse = direction === 'down' ? ['--reverse'] : [];
  // A server for each transfer: one whose last client's tunnel has just gone may believe it is still there.
  const server = await lab.internet.spawnUntil(words('iperf3 --server --forceflush'), /listening/i);
  const { stdout } = await lab.user.exec([...words(command), ...reverse]);
  await endProcess(server, 'SIGKILL');
  const result = report.parse(JSON.parse(stdout));
  if ('error' in result) throw new Error(`iperf3 ${direction}: ${result.error}`);
  return result.end.sum_received.bits_per_second / 1e6;
}

async function bothWays(lab: Lab, rival: Rival): Promise<{ up: number; down: number }> {
  const before = await lab.user.snapshot();
  await connect(lab, rival);
  const speeds = { up: await transfer(lab, 'up'), down: await transfer(lab, 'down') };
  await disconnect(lab, rival, before);
  return speeds;
}

/** iperf3 through the tunnel, to a server beyond the gateway. */
export async function measureThroughput(lab: Lab, ours: Ours, peer: Peer): Promise<Row[]> {
  const samples = await byTurns(rounds, {
    ours: () => bothWays(lab, ours),
    peer: () => bothWays(lab, peer),
  });
  const pick = (way: 'up' | 'down') => ({
    ours: samples.ours.map((speeds) => speeds[way]),
    peer: samples.peer.map((speeds) => speeds[way]),
  });
  return [row('tunnel-up', pick('up'), higher), row('tunnel-down', pick('down'), higher)];
}
