import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { addresses } from '../lab/network/addresses.ts';
import type { Lab } from '../lab/lab.ts';
import type { Machine } from '../lab/machine/machine.ts';
import { endProcess, exec, run, words } from '../lab/runs/process.ts';
import { connect, disconnect, type Contender } from './contenders.ts';
import { byTurns, row, type Row } from './row.ts';

export const throughputRows = ['tunnel-up', 'tunnel-down'] as const;

/** Tunnels of each, and transfers through each tunnel each way. */
const tunnels = 4;
const transfers = 20;
const transferSeconds = 1;
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
  const pids = (await run(words(`ip netns pids ${machine.namespace}`))).trim().split('\n');
  for (const pid of pids) {
    const { code, stderr } = await exec(words(`taskset --all-tasks --cpu-list --pid ${processor} ${pid}`));
    // One that has ended meanwhile needs no processor.
    if (code !== 0 && existsSync(`/proc/${pid}`)) throw new Error(`taskset of ${pid}: ${stderr}`);
  }
}

export type Direction = 'up' | 'down';

/** What the receiver got of a TCP stream through the tunnel, in Mbit/s. */
export async function transfer(lab: Lab, direction: Direction, seconds: number): Promise<number> {
  const client = words(`iperf3 --json --client ${addresses.echo.ipv4} --time ${seconds}`);
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

/** A tunnel of one contender, in a laboratory of its own: each can be up while the other one's is measured. */
export interface ContenderInLab {
  lab: Lab;
  contender: Contender;
}

export async function connectOnProcessors({ lab, contender }: ContenderInLab): Promise<void> {
  await connect(lab, contender);
  await Promise.all([
    keepOn(processors.user, lab.user),
    ...[lab.gatewayMachine, lab.internet].map((machine) => keepOn(processors.beyond, machine)),
  ]);
}

/**
 * iperf3 through the tunnel, to a server beyond the gateway. What the machine can do drifts by a tenth within
 * seconds, so short transfers of both follow each other; new tunnels now and then, as one can be lucky, too.
 */
export async function* measureThroughput(ours: ContenderInLab, peer: ContenderInLab): AsyncGenerator<Row> {
  const speeds = { up: { ours: [], peer: [] }, down: { ours: [], peer: [] } } as Record<
    Direction,
    Record<'ours' | 'peer', number[]>
  >;
  for (let tunnel = 0; tunnel < tunnels; tunnel += 1) {
    const contenders = [ours, peer];
    const before = await Promise.all(contenders.map(({ lab }) => lab.user.snapshot()));
    for (const contender of contenders) await connectOnProcessors(contender);
    for (const direction of ['up', 'down'] as const) {
      const turns = await byTurns(transfers, {
        ours: () => transfer(ours.lab, direction, transferSeconds),
        peer: () => transfer(peer.lab, direction, transferSeconds),
      });
      speeds[direction].ours.push(...turns.ours);
      speeds[direction].peer.push(...turns.peer);
    }
    for (const [index, { lab, contender }] of contenders.entries())
      await disconnect(lab, contender, before[index] ?? '');
  }
  yield row('tunnel-up', speeds.up, higher);
  yield row('tunnel-down', speeds.down, higher);
}
