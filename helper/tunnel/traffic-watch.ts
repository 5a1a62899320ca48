import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionProblem } from '#shared/tunnel/state.ts';
import type { ReceivedPackets } from '../system/ports/tunnel-device-port.ts';
import { probeTraffic, type ProbeFindings, type ProbePlan } from './traffic-probe.ts';

export interface TrafficWatchOptions {
  plan: ProbePlan;
  received: () => ReceivedPackets | undefined;
  /** Bytes sent into the tunnel so far. */
  sent: () => number;
  /** Packets of every IP version have come back; called at most once. */
  onAllPass: () => void;
  /** After every round of probes. */
  onFindings: (findings: ProbeFindings) => void;
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
 * Probes a tunnel that has just been configured, and then whenever it has been used. Ends with the signal alone: what the
 * kernel counts cannot be read while there are no file descriptors left, for example.
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
  const { plan, received, sent, onFindings, signal } = options;
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
    onFindings(findings);
    const isFine = findings.silent.length === 0 && findings.resolversAnswer && findings.targetsAnswer;
    problemRounds = isFine ? 0 : problemRounds + 1;
    if (isFine) await untilUsed(sent, signal);
    else await delay(retryMs[problemRounds - 1] ?? retryMs.at(-1), undefined, { signal, ref: false });
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
  { passing, silent, resolversAnswer, targetsAnswer }: ProbeFindings,
  plan: Pick<ProbePlan, 'resolvers' | 'needsResolver'>,
): ConnectionProblem[] {
  if (passing.length === 0) return ['nothing-passes'];
  return [
    ...silent.map((family) => `${family}-silent` as const),
    ...(lacksResolver(plan) ? (['no-dns'] as const) : []),
    ...(resolversAnswer ? [] : (['dns-silent'] as const)),
    ...(targetsAnswer ? [] : (['no-internet'] as const)),
  ];
}
