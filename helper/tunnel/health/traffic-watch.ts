import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionProblem } from '#shared/tunnel/state.ts';
import type { ReceivedPackets } from '../../system/ports/tunnel-device-port.ts';
import { probeNames } from './name-probe.ts';
import { createSizeWatch } from './mtu-watch.ts';
import { probeTraffic, type ProbeFindings, type ProbePlan } from './traffic-probe.ts';

export interface TrafficWatchOptions {
  plan: ProbePlan;
  received: () => ReceivedPackets | undefined;
  /** Bytes sent into the tunnel so far. */
  sent: () => number;
  /** See `TunnelDevice`. */
  openEcho: (own: string) => number | undefined;
  /** Whether the machine's settings send its programs' look-ups to the plan's resolvers now. */
  isAskedByPrograms: () => boolean;
  /** Packets of every IP version have come back; called at most once. */
  onAllPass: () => void;
  /** After every round of probes. */
  onFindings: (findings: ProbeFindings & { findsNames: boolean }) => void;
  /** Packets of the full size that have passed do not any more; only those of this size do. */
  onShrunk: (mtu: number) => void;
  /** The tunnel could not be looked at this time. */
  onError: (error: unknown) => void;
  signal: AbortSignal;
}

/** How often it is checked whether the tunnel has been used; if so, it is probed. */
const pollMs = 20_000;

/** Delays before a tunnel with a problem is probed again; the last one repeats. */
const retryMs = [3_000, 5_000, 10_000, 20_000] as const;

/** The internet is probed less often than the tunnel itself, because these are somebody's servers. */
const targetsEveryMs = 5 * 60_000;

/**
 * Probes a tunnel that has just been configured, and then whenever it has been used. Ends with the signal alone: what
 * the kernel counts cannot be read while there are no file descriptors left, for example.
 */
export async function watchTraffic(options: TrafficWatchOptions): Promise<void> {
  const { signal } = options;
  for (;;) {
    try {
      await probeUntilError(options);
    } catch (error) {
      signal.throwIfAborted();
      options.onError(error);
    }
    await delay(retryMs[0], undefined, { signal, ref: false });
  }
}

async function probeUntilError(options: TrafficWatchOptions): Promise<never> {
  const { plan, received, sent, onFindings, onShrunk, signal } = options;
  const watchSize = createSizeWatch(plan, options.openEcho);
  const sizeWatched = async () => {
    const mtu = await watchSize(signal);
    if (mtu !== undefined) onShrunk(mtu);
  };
  // What passes from the beginning is what can be lost.
  const watchedFirst = sizeWatched();
  watchedFirst.catch(() => undefined);
  let targetsAskedAt = -Infinity;
  let problemRounds = 0;
  let passed = false;
  for (;;) {
    const now = performance.now();
    const asksTargets = problemRounds > 0 || now - targetsAskedAt >= targetsEveryMs;
    if (asksTargets) targetsAskedAt = now;
    const findings = await probeTraffic(asksTargets ? plan : { ...plan, targets: [] }, {
      received,
      signal,
      onAllPass() {
        if (!passed) options.onAllPass();
        passed = true;
      },
    });
    signal.throwIfAborted();
    const isAsked = findings.resolversAnswer && plan.resolvers.length > 0 && options.isAskedByPrograms();
    const found = { ...findings, findsNames: !isAsked || (await probeNames(plan, signal)) };
    onFindings(found);
    const isFine =
      found.silent.length === 0 && found.resolversAnswer && found.findsNames && found.targetsAnswer;
    problemRounds = isFine ? 0 : problemRounds + 1;
    if (isFine) {
      await watchedFirst;
      await untilUsed(sent, signal);
      await sizeWatched();
    } else await delay(retryMs[problemRounds - 1] ?? retryMs.at(-1), undefined, { signal, ref: false });
  }
}

/** Nothing is probed while nothing is sent: an idle tunnel costs an occasional read of two kernel counters. */
async function untilUsed(sent: () => number, signal: AbortSignal): Promise<void> {
  let before: number | undefined;
  do {
    before = sent();
    await delay(pollMs, undefined, { signal, ref: false });
  } while (sent() === before);
}

export const lacksResolver = ({ resolvers, needsResolver }: Pick<ProbePlan, 'resolvers' | 'needsResolver'>) =>
  needsResolver && resolvers.length === 0;

/** The problems to report, most informative first. */
export function problemsOf(
  { passing, silent, resolversAnswer, findsNames, targetsAnswer }: ProbeFindings & { findsNames: boolean },
  plan: Pick<ProbePlan, 'resolvers' | 'needsResolver'>,
): ConnectionProblem[] {
  if (passing.length === 0) return ['nothing-passes'];
  return [
    ...silent.map((family) => `${family}-silent` as const),
    ...(lacksResolver(plan) ? (['no-dns'] as const) : []),
    ...(resolversAnswer ? [] : (['dns-silent'] as const)),
    ...(findsNames ? [] : (['names-fail'] as const)),
    ...(targetsAnswer ? [] : (['no-internet'] as const)),
  ];
}
