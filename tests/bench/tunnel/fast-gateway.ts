import { disconnect, type Ours, type Peer } from './contenders.ts';
import type { FastContendersGateway } from './gateways.ts';
import { engineOf } from './idle.ts';
import {
  carry,
  connectOnProcessors,
  transfers,
  transferSeconds,
  tunnels,
  type Carried,
  type ContenderInLab,
  type Direction,
} from './transfers.ts';
import { processorTime } from '../measure/processor-time.ts';
import { byTurns, median, row, type Row } from '../row.ts';

/** The speed through a gateway that carries packets as our engine does: ocserv is the slowest on the way upwards. */
export const fastGatewayRows = ['tunnel-fast-gateway-up', 'tunnel-fast-gateway-down'] as const;

interface InLab extends ContenderInLab {
  gateway: FastContendersGateway;
}

interface Used extends Carried {
  /** How much of a processor the engine took, and the gateway; all but iperf3 and the kernel. */
  engine: number;
  beyond: number;
}

async function measure({ lab, gateway }: InLab, engine: number, direction: Direction): Promise<Used> {
  const before = await processorTime(gateway.pid);
  const carried = await carry(lab, engine, direction, transferSeconds);
  const beyond = ((await processorTime(gateway.pid)) - before) / (transferSeconds * 1_000);
  const gigabytes = (carried.speed * transferSeconds) / 8_000;
  return { ...carried, engine: (carried.cost * gigabytes) / transferSeconds, beyond };
}

/** Who had how much of a processor, for people: whoever is close to 1 with its neighbour is the bottleneck. */
function usedBy(direction: Direction, who: string, sample: readonly Used[]): string {
  const of = (name: string, share: (used: Used) => number) =>
    `${name} ${median(sample.map(share)).toFixed(2)}`;
  const user = [of('engine', (used) => used.engine), of('iperf3', (used) => used.iperf3.user)];
  const beyond = [of('gateway', (used) => used.beyond), of('iperf3', (used) => used.iperf3.beyond)];
  return `${direction}, ${who}: the user’s processor had ${user.join(', ')}; the other one ${beyond.join(', ')}`;
}

/**
 * As `measureThroughput` measures the speed. `tell` is told who used the processors.
 */
export async function* measureFastGateway(
  ours: InLab & { contender: Ours },
  peer: InLab & { contender: Peer },
  tell: (text: string) => void,
  times = { tunnels, transfers },
): AsyncGenerator<Row> {
  const contenders = [ours, peer];
  const sampled = {
    up: { ours: [] as Used[], peer: [] as Used[] },
    down: { ours: [] as Used[], peer: [] as Used[] },
  };
  for (let tunnel = 0; tunnel < times.tunnels; tunnel += 1) {
    const before = await Promise.all(contenders.map(({ lab }) => lab.user.snapshot()));
    for (const contender of contenders) await connectOnProcessors(contender);
    const engines = { ours: await engineOf(ours.contender.helper), peer: peer.contender.process() };
    for (const direction of ['up', 'down'] as const) {
      const turns = await byTurns(times.transfers, {
        ours: () => measure(ours, engines.ours, direction),
        peer: () => measure(peer, engines.peer, direction),
      });
      sampled[direction].ours.push(...turns.ours);
      sampled[direction].peer.push(...turns.peer);
    }
    for (const [index, { lab, contender }] of contenders.entries())
      await disconnect(lab, contender, before[index] ?? '');
  }
  for (const direction of ['up', 'down'] as const) {
    const { ours: own, peer: theirs } = sampled[direction];
    tell(usedBy(direction, 'ours', own));
    tell(usedBy(direction, 'peer', theirs));
    const speeds = { ours: own.map(({ speed }) => speed), peer: theirs.map(({ speed }) => speed) };
    yield row(`tunnel-fast-gateway-${direction}`, speeds, { unit: 'Mbit/s', better: 'higher' });
  }
}
