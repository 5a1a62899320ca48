import { setTimeout as delay } from 'node:timers/promises';
import { disconnect, type Ours, type Peer } from './contenders.ts';
import { engineOf, residentMemory } from './idle.ts';
import { processorTime } from './processor-time.ts';
import { byTurns, row, type Row } from './row.ts';
import { connectOnProcessors, transfer, type ContenderInLab, type Direction } from './throughput.ts';

/** Our own engine, with the helper and the app around it, beside openconnect alone. */
export const ownEngineRows = [
  'own-up',
  'own-down',
  'own-cpu-up',
  'own-cpu-down',
  'own-rss',
  'own-idle-cpu',
] as const;

const transfers = 6;
const seconds = 2;
const idleSeconds = 11;

/** What an engine did: Mbit/s, and its seconds of the processor for a gigabyte (10⁹ bytes). */
interface Carried {
  speed: number;
  cost: number;
}

export async function* measureOwnEngine(
  ours: ContenderInLab & { contender: Ours },
  peer: ContenderInLab & { contender: Peer },
): AsyncGenerator<Row> {
  const before = await Promise.all([ours, peer].map(({ lab }) => lab.user.snapshot()));
  for (const contender of [ours, peer]) await connectOnProcessors(contender);
  const engines = { ours: await engineOf(ours.contender.helper), peer: peer.contender.process() };
  // What connecting set in motion has come to rest.
  await delay(2_000);
  const idle = await Promise.all(Object.values(engines).map(processorTime));
  await delay(idleSeconds * 1_000);
  const idled = await Promise.all(
    Object.values(engines).map(async (pid, index) => {
      const used = (await processorTime(pid)) - (idle[index] ?? 0);
      return (used * 60) / idleSeconds;
    }),
  );
  const carry = (who: 'ours' | 'peer', direction: Direction) => async (): Promise<Carried> => {
    const begun = await processorTime(engines[who]);
    const speed = await transfer((who === 'ours' ? ours : peer).lab, direction, seconds);
    const used = ((await processorTime(engines[who])) - begun) / 1_000;
    return { speed, cost: used / ((speed * 1e6 * seconds) / 8 / 1e9) };
  };
  for (const direction of ['up', 'down'] as const) {
    const turns = await byTurns(transfers, {
      ours: carry('ours', direction),
      peer: carry('peer', direction),
    });
    const all = (what: keyof Carried) => ({
      ours: turns.ours.map((carried) => carried[what]),
      peer: turns.peer.map((carried) => carried[what]),
    });
    yield row(`own-${direction}`, all('speed'), { unit: 'Mbit/s', better: 'higher' });
    yield row(`own-cpu-${direction}`, all('cost'), { unit: 's/GB', better: 'lower' });
  }
  const rss = await Promise.all(Object.values(engines).map((pid) => residentMemory(pid)));
  const one = ([first = Number.NaN, second = Number.NaN]: readonly number[]) => ({
    ours: [first],
    peer: [second],
  });
  yield row('own-rss', one(rss), { unit: 'MB', better: 'lower' });
  yield row('own-idle-cpu', one(idled), { unit: 'ms/min', better: 'lower' });
  for (const [index, { lab, contender }] of [ours, peer].entries())
    await disconnect(lab, contender, before[index] ?? '');
}
