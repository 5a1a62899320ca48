import { setTimeout as delay } from 'node:timers/promises';
import { ports } from '../addresses.ts';
import { gatewayOnly, newToken, wordsFor, type Bench, type Check } from './bench.ts';
import { askByTcp, makeProbes, probeClasses, pump } from './probes.ts';
import { onlyBySight, sightOf, type Found } from './sight.ts';
import { leaksIn } from './uplink-watch.ts';

/** How long the tunnel may stay away once everything is there for it again, in milliseconds. */
const comesBackMs = 30_000;
/** How long probes are sent while there is none. */
const withoutMs = 700;
const noticedMs = 15_000;
const endsMs = 5_000;
const lookMs = 50;

/** What a death needs. */
export interface Deaths {
  killHelper(): Promise<void>;
  startHelper(): Promise<void>;
}

/** Sends everything that must not leave, from before the death until the tunnel is back. */
async function through(bench: Bench, death: () => Promise<string[]>): Promise<Found> {
  const token = newToken();
  const probes = probeClasses.flatMap((kind) => makeProbes(kind, token, bench.around));
  let problems: string[] = [];
  const frames = await bench.observe(async () => {
    const running = pump(probes);
    try {
      problems = await death();
      const isBack = await bench.until(({ state }) => state === 'connected', comesBackMs);
      if (!isBack) problems.push(`the tunnel does not come back: ${JSON.stringify(bench.state())}`);
    } finally {
      running.end();
    }
  });
  const answer = await askByTcp({ host: bench.around.places.host.ipv4, port: ports.http }, newToken());
  if (answer?.place !== 'inside')
    problems.push(`afterwards, a host was reached ${answer?.place ?? 'by no way'}`);
  const leaks = wordsFor(leaksIn(frames, gatewayOnly(bench)));
  return onlyBySight([...leaks, ...problems], sightOf(bench, probeClasses));
}

export function killChecks(bench: Bench, deaths: Deaths): Record<'engine-killed' | 'helper-killed', Check> {
  const { farSide, computer } = bench.around;
  return {
    'engine-killed': {
      observers: ['uplink', 'system'],
      run: () =>
        through(bench, async () => {
          const engines = computer.engineProcesses();
          if (engines.length === 0) return [`no engine was found: ${JSON.stringify(bench.state())}`];
          const kill = () => {
            for (const pid of engines) process.kill(pid, 'SIGKILL');
          };
          // Another engine finds nobody for a while.
          return await farSide.away(kill, async () => {
            const isNoticed = await bench.until(({ state }) => state !== 'connected', noticedMs);
            await delay(withoutMs);
            const left = computer.engineProcesses().filter((pid) => engines.includes(pid));
            return [
              ...(isNoticed ? [] : ['nobody has noticed that the engine is gone']),
              ...(left.length === 0 ? [] : ['the engine lives on']),
            ];
          });
        }),
    },
    'helper-killed': {
      observers: ['uplink', 'system'],
      run: () =>
        through(bench, async () => {
          await deaths.killHelper();
          await delay(withoutMs);
          // It ends with its helper, as soon as it has a processor.
          const isLeft = () => computer.engineProcesses().length > 0;
          for (let waited = 0; waited < endsMs && isLeft(); waited += lookMs) await delay(lookMs);
          const left = computer.engineProcesses();
          // What comes next is the next helper's tunnel.
          const isGone = bench.until(({ state }) => state !== 'connected', noticedMs);
          await deaths.startHelper();
          return [
            ...(left.length === 0 ? [] : ['the engine outlives its helper']),
            ...((await isGone) ? [] : ['nobody has noticed that the helper is gone']),
          ];
        }),
    },
  };
}
