import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { addresses } from '../../lab/network/addresses.ts';
import type { Lab } from '../../lab/lab.ts';
import type { Machine } from '../../lab/machine/machine.ts';
import { endProcess, exec, run, words } from '../../lab/runs/process.ts';
import { connect, disconnect, type Contender, type Ours, type Peer } from './contenders.ts';
import { engineOf } from './idle.ts';
import { processorTime } from '../measure/processor-time.ts';
import { byTurns, median, row, type Row } from '../row.ts';

/** `-cpu`: of the engine alone, `-500`: at 500 Mbit/s upwards. `ping`: what a ping takes while a transfer goes on. */
export const throughputRows = [
  'tunnel-up',
  'tunnel-down',
  'tunnel-cpu-up',
  'tunnel-cpu-down',
  'tunnel-cpu-500',
  'ping-under-load-up',
  'ping-under-load-down',
] as const;

/** Tunnels of each, and transfers through each tunnel each way. */
const tunnels = 4;
const transfers = 20;
const transferSeconds = 1;
const pingRounds = 3;
const pingSeconds = 3;
const higher = { unit: 'Mbit/s', better: 'higher' } as const;
const lowerCost = { unit: 's/GB', better: 'lower' } as const;

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

type Direction = 'up' | 'down';

/** What the receiver got of a TCP stream through the tunnel, in Mbit/s; at most `most`, in the same unit. */
async function transfer(lab: Lab, direction: Direction, seconds: number, most?: number): Promise<number> {
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
  return result.end.sum_received.bits_per_second / 1e6;
}

/** The median time of pings through the tunnel while a transfer goes on, in milliseconds. */
async function pingUnderLoad(lab: Lab, direction: Direction): Promise<number> {
  const busy = transfer(lab, direction, pingSeconds + 1);
  // The transfer has reached its speed.
  await delay(700);
  const { stdout } = await lab.user.exec(
    words(`ping -n -i 0.02 -w ${pingSeconds - 1} ${addresses.echo.ipv4}`),
  );
  await busy;
  const times = [...stdout.matchAll(/time=([\d.]+)/g)].map(([, time]) => Number(time));
  if (times.length < 10) throw new Error(`only ${times.length} pings were answered`);
  return median(times);
}

/** What an engine did: Mbit/s, and its seconds of the processor for a gigabyte (10⁹ bytes). */
interface Carried {
  speed: number;
  cost: number;
}

async function carry(
  lab: Lab,
  pid: number,
  direction: Direction,
  seconds: number,
  most?: number,
): Promise<Carried> {
  const begun = await processorTime(pid);
  const speed = await transfer(lab, direction, seconds, most);
  const used = ((await processorTime(pid)) - begun) / 1_000;
  return { speed, cost: used / ((speed * 1e6 * seconds) / 8 / 1e9) };
}

/** A tunnel of one contender, in a laboratory of its own: each can be up while the other one's is measured. */
export interface ContenderInLab {
  lab: Lab;
  contender: Contender;
}

async function connectOnProcessors({ lab, contender }: ContenderInLab): Promise<void> {
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
export async function* measureThroughput(
  ours: ContenderInLab & { contender: Ours },
  peer: ContenderInLab & { contender: Peer },
  isWanted: (row: string) => boolean,
): AsyncGenerator<Row> {
  const contenders = [ours, peer];
  const sampled = new Map<(typeof throughputRows)[number], { ours: number[]; peer: number[] }>();
  const add = (name: (typeof throughputRows)[number], turns: { ours: number[]; peer: number[] }) => {
    const known = sampled.get(name);
    known?.ours.push(...turns.ours);
    known?.peer.push(...turns.peer);
    if (!known) sampled.set(name, turns);
  };
  for (let tunnel = 0; tunnel < tunnels; tunnel += 1) {
    const before = await Promise.all(contenders.map(({ lab }) => lab.user.snapshot()));
    for (const contender of contenders) await connectOnProcessors(contender);
    const engines = { ours: await engineOf(ours.contender.helper), peer: peer.contender.process() };
    const carrying = (rounds: number, direction: Direction, seconds: number, most?: number) =>
      byTurns(rounds, {
        ours: () => carry(ours.lab, engines.ours, direction, seconds, most),
        peer: () => carry(peer.lab, engines.peer, direction, seconds, most),
      });
    const of = (turns: Record<'ours' | 'peer', Carried[]>, what: keyof Carried) => ({
      ours: turns.ours.map((carried) => carried[what]),
      peer: turns.peer.map((carried) => carried[what]),
    });
    for (const direction of ['up', 'down'] as const) {
      if (isWanted(`tunnel-${direction}`) || isWanted(`tunnel-cpu-${direction}`)) {
        const turns = await carrying(transfers, direction, transferSeconds);
        add(`tunnel-${direction}`, of(turns, 'speed'));
        add(`tunnel-cpu-${direction}`, of(turns, 'cost'));
      }
      if (isWanted(`ping-under-load-${direction}`)) {
        const ping = ({ lab }: ContenderInLab) => pingUnderLoad(lab, direction);
        const turns = await byTurns(pingRounds, { ours: () => ping(ours), peer: () => ping(peer) });
        add(`ping-under-load-${direction}`, turns);
      }
    }
    if (isWanted('tunnel-cpu-500')) add('tunnel-cpu-500', of(await carrying(2, 'up', 2, 500), 'cost'));
    for (const [index, { lab, contender }] of contenders.entries())
      await disconnect(lab, contender, before[index] ?? '');
  }
  for (const [name, turns] of sampled) yield row(name, turns, unitOf(name));
}

const unitOf = (name: string): Pick<Row, 'unit' | 'better'> =>
  name.startsWith('ping') ? { unit: 'ms', better: 'lower' } : name.includes('cpu') ? lowerCost : higher;
