import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { addresses } from '../lab/addresses.ts';
import type { Lab } from '../lab/lab.ts';
import type { Machine } from '../lab/machine.ts';
import { endProcess, exec, run, words } from '../lab/process.ts';
import { connect, disconnect, type Ours, type Peer, type Rival } from './rivals.ts';
import { byTurns, row, type Row } from './row.ts';

/** Tunnels of each, and transfers through each tunnel each way: one transfer is a twentieth off another. */
const rounds = 8;
const transfers = 2;
const seconds = 3;
const higher = { unit: 'Mbit/s', better: 'higher' } as const;

const report = z.union([
  z.object({ end: z.object({ sum_received: z.object({ bits_per_second: z.number().positive() }) }) }),
  z.object({ error: z.string() }),
]);

/**
 * The user's machine has one processor and everything beyond it another, as if they were machines of their own:
 * left to the scheduler, who shares one with whom moves a transfer by a tenth.
 */
const processors = availableParallelism() > 1 ? { user: 0, beyond: 1 } : { user: 0, beyond: 0 };
const on = (processor: number) => words(`taskset --cpu-list ${processor}`);

async function keepOn(processor: number, machine: Machine): Promise<void> {
  const pids = words((await run(words(`ip netns pids ${machine.namespace}`))).trim());
  // One that has ended meanwhile needs no processor.
  await Promise.all(
    pids.map((pid) => exec(words(`taskset --all-tasks --cpu-list --pid ${processor} ${pid}`))),
  );
}

/** What the receiver got of a TCP stream through the tunnel, in Mbit/s. */
async function transfer(lab: Lab, direction: 'up' | 'down'): Promise<number> {
  const client = words(`iperf3 --json --client ${addresses.echo.ipv4} --time ${seconds} --omit 1`);
  const reverse = direction === 'down' ? ['--reverse'] : [];
  // A server for each transfer: one whose last client's tunnel has just gone may believe it is still there.
  const server = await lab.internet.spawnUntil(
    [...on(processors.beyond), ...words('iperf3 --server --forceflush')],
    /listening/i,
  );
  const { stdout } = await lab.user.exec([...on(processors.user), ...client, ...reverse]);
  await endProcess(server, 'SIGKILL');
  const result = report.parse(JSON.parse(stdout));
  if ('error' in result) throw new Error(`iperf3 ${direction}: ${result.error}`);
  return result.end.sum_received.bits_per_second / 1e6;
}

interface Speeds {
  up: number[];
  down: number[];
}

async function bothWays(lab: Lab, rival: Rival): Promise<Speeds> {
  const before = await lab.user.snapshot();
  await connect(lab, rival);
  await Promise.all([
    keepOn(processors.user, lab.user),
    ...[lab.gatewayMachine, lab.internet].map((machine) => keepOn(processors.beyond, machine)),
  ]);
  const speeds: Speeds = { up: [], down: [] };
  for (let number = 0; number < transfers; number += 1) {
    speeds.up.push(await transfer(lab, 'up'));
    speeds.down.push(await transfer(lab, 'down'));
  }
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
    ours: samples.ours.flatMap((speeds) => speeds[way]),
    peer: samples.peer.flatMap((speeds) => speeds[way]),
  });
  return [row('tunnel-up', pick('up'), higher), row('tunnel-down', pick('down'), higher)];
}
