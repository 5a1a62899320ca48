import { setTimeout as delay } from 'node:timers/promises';
import { addresses } from '../../lab/network/addresses.ts';
import type { Lab } from '../../lab/lab.ts';
import { words } from '../../lab/runs/process.ts';
import { disconnect, type Ours, type Peer } from './contenders.ts';
import { engineOf } from './idle.ts';
import {
  carry,
  connectOnProcessors,
  transfer,
  transferSeconds,
  transfers,
  tunnels,
  type Carried,
  type ContenderInLab,
  type Direction,
} from './transfers.ts';
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

const pingRounds = 3;
const pingSeconds = 3;
const higher = { unit: 'Mbit/s', better: 'higher' } as const;
const lowerCost = { unit: 's/GB', better: 'lower' } as const;

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
    const of = (turns: Record<'ours' | 'peer', Carried[]>, what: 'speed' | 'cost') => ({
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
