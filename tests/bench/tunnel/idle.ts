import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lab } from '../../lab/lab.ts';
import { connect, disconnect, type Contenders, type Contender } from './contenders.ts';
import { processorTime } from '../measure/processor-time.ts';
import { byTurns, row, type Row } from '../row.ts';

export const idleRows = ['helper-idle-rss', 'engine-idle-rss', 'helper-idle-cpu', 'engine-idle-cpu'] as const;

const rounds = 5;
/** Longer than the ten seconds between two dead peer detections of ours. */
const idleSeconds = 11;

/** Resident memory in MB, and processor time in milliseconds per minute of idling. */
interface Cost {
  readonly rss: number;
  readonly cpu: number;
}

/** What the processes cost while a tunnel is connected and nothing is sent, each apart. */
async function idle<Name extends string>(
  lab: Lab,
  contender: Contender,
  processes: () => Promise<Record<Name, number>>,
): Promise<Record<Name, Cost>> {
  const before = await lab.user.snapshot();
  await connect(lab, contender);
  const pids = Object.entries<number>(await processes());
  // What connecting set in motion has come to rest.
  await delay(1000);
  const start = await Promise.all(pids.map(([, pid]) => processorTime(pid)));
  await delay(idleSeconds * 1000);
  const costs = await Promise.all(
    pids.map(async ([name, pid], index): Promise<[string, Cost]> => {
      const used = (await processorTime(pid)) - (start[index] ?? 0);
      return [name, { rss: await residentMemory(pid), cpu: (used * 60) / idleSeconds }];
    }),
  );
  await disconnect(lab, contender, before);
  return Object.fromEntries(costs) as Record<Name, Cost>;
}

/** The helper and its engine, each against the whole openconnect that a user runs without them. */
export async function* measureIdle(lab: Lab, { ours, peer }: Contenders): AsyncGenerator<Row> {
  const samples = await byTurns<'ours' | 'peer', Record<string, Cost>>(rounds, {
    ours: () => idle(lab, ours, async () => ({ helper: ours.helper, engine: await engineOf(ours.helper) })),
    peer: () => idle(lab, peer, async () => ({ openconnect: peer.process() })),
  });
  for (const name of idleRows) {
    const [who, , what] = name.split('-') as [string, 'idle', keyof Cost];
    yield row(
      name,
      {
        ours: samples.ours.map((costs) => costs[who]?.[what] ?? Number.NaN),
        peer: samples.peer.map((costs) => costs['openconnect']?.[what] ?? Number.NaN),
      },
      { unit: what === 'rss' ? 'MB' : 'ms/min', better: 'lower' },
    );
  }
}

/** The engine among a process's descendants. */
export async function engineOf(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  for (const child of children.map(Number)) {
    const name = (await readFile(`/proc/${child}/comm`, 'utf8')).trim();
    if (name === 'openconnect' || name === 'waymaker-engine') return child;
    const below = await engineOf(child);
    if (below > 0) return below;
  }
  return 0;
}

/** In MB; `processes` is where the machine's processes are found. */
export async function residentMemory(pid: number, processes = '/proc'): Promise<number> {
  const status = await readFile(`${processes}/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
