import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { addresses } from '../../lab/network/addresses.ts';
import type { Lab } from '../../lab/lab.ts';
import type { Machine } from '../../lab/machine/machine.ts';
import { endProcess, exec, run, words } from '../../lab/runs/process.ts';
import { processorTime } from '../measure/processor-time.ts';
import { connect, type Contender } from './contenders.ts';

/** Tunnels of each contender, and transfers through each tunnel each way. */
export const tunnels = 4;
export const transfers = 20;
export const transferSeconds = 1;

/**
 * What Linux, macOS and Windows have unless somebody has changed it (RFC 9438). Others answer losses differently: BBR
 * goes on at its own speed, so that where the gateway is the slowest, a fifth of all is sent in vain.
 */
const congestionControl = 'cubic';

const report = z.union([
  z.object({
    end: z.object({
      sum_received: z.object({ bits_per_second: z.number().positive() }),
      sender_tcp_congestion: z.literal(congestionControl),
      cpu_utilization_percent: z.object({ host_total: z.number(), remote_total: z.number() }),
    }),
  }),
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

export interface Transferred {
  /** What the receiver got, in Mbit/s. */
  speed: number;
  /** How much of a processor iperf3 took, on the user's machine and beyond: 1 is all of one. */
  iperf3: { user: number; beyond: number };
}

/** A TCP stream through the tunnel, at most at `most` Mbit/s. */
export async function transfer(
  lab: Lab,
  direction: Direction,
  seconds: number,
  most?: number,
): Promise<Transferred> {
  const client = words(
    `iperf3 --json --client ${addresses.echo.ipv4} --time ${seconds} --congestion ${congestionControl}`,
  );
  const reverse = direction === 'down' ? ['--reverse'] : [];
  const rate = most === undefined ? [] : ['--bitrate', `${most}M`];
  // A server for each transfer: one whose last client's tunnel has just gone may believe it is still there.
  const server = await lab.internet.spawnUntil(
    [...on(processors.beyond), ...words('iperf3 --server --forceflush')],
    /listening/i,
  );
  const { stdout } = await lab.user.exec([...on(processors.user), ...client, ...reverse, ...rate]);
  await endProcess(server, 'SIGKILL');
  const result = report.parse(JSON.parse(stdout));
  if ('error' in result) throw new Error(`iperf3 ${direction}: ${result.error}`);
  const { sum_received: received, cpu_utilization_percent: used } = result.end;
  return {
    speed: received.bits_per_second / 1e6,
    iperf3: { user: used.host_total / 100, beyond: used.remote_total / 100 },
  };
}

/** What an engine did: Mbit/s, and its seconds of the processor for a gigabyte (10⁹ bytes). */
export interface Carried extends Transferred {
  cost: number;
}

export async function carry(
  lab: Lab,
  pid: number,
  direction: Direction,
  seconds: number,
  most?: number,
): Promise<Carried> {
  const begun = await processorTime(pid);
  const transferred = await transfer(lab, direction, seconds, most);
  const used = ((await processorTime(pid)) - begun) / 1_000;
  return { ...transferred, cost: used / ((transferred.speed * 1e6 * seconds) / 8 / 1e9) };
}

/** A tunnel of one contender, in a laboratory of its own: each can be up while the other one's is measured. */
export interface ContenderInLab {
  lab: Lab;
  contender: Contender;
}

/** The tunnel's end on the user's machine has one processor, all that is beyond it another. */
export async function connectOnProcessors({ lab, contender }: ContenderInLab): Promise<void> {
  await connect(lab, contender);
  await Promise.all([
    keepOn(processors.user, lab.user),
    ...[lab.gatewayMachine, lab.internet].map((machine) => keepOn(processors.beyond, machine)),
  ]);
}
