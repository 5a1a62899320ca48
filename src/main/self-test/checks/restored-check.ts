import { setTimeout as delay } from 'node:timers/promises';
import { newToken, sendProbes, type Bench, type Check } from './bench.ts';
import { NotChecked } from './not-checked.ts';
import { askByTcp, type Probe } from './probes.ts';
import { sightOf, withoutSight, type Found } from './sight.ts';
import type { Computer } from './surroundings.ts';

const disconnectMs = 15_000;
const settleMs = 5_000;

type Snapshot = Readonly<Record<string, string>>;

/**
 * What is there before there is a helper, once no IPv6 address is tentative any more: each is for a second or two after
 * its network was joined (RFC 4862 §5.4), and would look like one that the helper has changed.
 */
export async function initialSnapshot(computer: Computer): Promise<Snapshot> {
  for (const end = performance.now() + settleMs; ; await delay(100)) {
    const snapshot = computer.snapshot();
    if (performance.now() > end || !/ tentative\b/.test(snapshot['addresses'] ?? '')) return snapshot;
  }
}

/** Which parts of a snapshot differ from those of another one, and how. */
function differences(before: Snapshot, now: Snapshot): string[] {
  return Object.entries(before).flatMap(([name, text]) => {
    const was = text.split('\n');
    const is = (now[name] ?? '').split('\n');
    const lost = was.filter((line) => !is.includes(line)).map((line) => `${name}: gone: ${line}`);
    const more = is.filter((line) => !was.includes(line)).map((line) => `${name}: left: ${line}`);
    return [...lost, ...more];
  });
}

/** A disconnect leaves nothing, and neither does the end of the helper. `initial`: before there was one. */
export function restoredCheck(bench: Bench, initial: Snapshot, endHelper: () => Promise<void>): Check {
  const { around, client } = bench;
  return {
    observers: around.watch ? ['system', 'uplink'] : ['system'],
    async run() {
      await client.preferences.set({ killSwitch: false });
      await client.tunnel.disconnect();
      const isDone = await bench.until(({ state }) => state === 'disconnected', disconnectMs);
      const problems = isDone ? [] : [`not disconnected: ${JSON.stringify(bench.state())}`];
      const changed = () => differences(initial, around.computer.snapshot());
      for (let tries = 0; tries < 20 && changed().length > 0; tries += 1) await delay(100);
      problems.push(...changed());
      const left = await stillBlocked(bench);
      await endHelper();
      const later = changed().map((difference) => `after the helper’s end: ${difference}`);
      problems.push(...left.problems, ...later);
      if (problems.length === 0 && !around.watch && !around.reachedOutside)
        throw new NotChecked('no-observer');
      return { ...left, problems };
    },
  };
}

/** What should leave again, and does not. */
async function stillBlocked(bench: Bench): Promise<Found> {
  const { reachedOutside, watch } = bench.around;
  const problems: string[] = [];
  const token = newToken();
  const ask = async () => {
    if (!reachedOutside) return;
    const answer = await askByTcp(reachedOutside, token);
    if (answer?.place !== 'outside')
      problems.push(`afterwards, a host was reached ${answer?.place ?? 'by no way'}`);
  };
  if (!watch) {
    await ask();
    return withoutSight(problems);
  }
  let probes: Probe[] = [];
  const frames = await bench.observe(async () => {
    await ask();
    probes = await sendProbes(bench, ['plain'], token);
  });
  const isSeen = (probe: Probe) => frames.some((frame) => probe.isIn(frame));
  const missing = probes.filter((probe) => !isSeen(probe));
  // Who did not see such packets before says nothing by not seeing them now.
  const canBeSeen = ({ way, ipVersion }: Probe) => sightOf(bench, ['plain'], [way]).seen.includes(ipVersion);
  const unshown = missing.filter((probe) => !canBeSeen(probe));
  const gone = missing.filter(canBeSeen);
  return {
    problems: [...problems, ...gone.map(({ name }) => `afterwards, it was not seen on the uplink: ${name}`)],
    unseen: unshown.length > 0 ? sightOf(bench, ['plain']).unseen : [],
    blind: unshown.length === probes.length ? ['uplink'] : [],
  };
}
