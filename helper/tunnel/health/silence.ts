import type { Family, ProbeFindings } from './traffic-probe.ts';

/** Delays between engines that replace silent ones, in milliseconds; the last one repeats. */
const recreationDelays = [30_000, 60_000, 120_000, 300_000] as const;

/** `look-again`: it is too early to decide. */
export type SilenceVerdict = 'keep' | 'recreate' | 'look-again';

/** Decides, over all engines of one connection, whether a silent tunnel should get a new engine. */
export interface SilencePolicy {
  /** What to do about findings. Assumes that the verdict is carried out. */
  review(findings: ProbeFindings): SilenceVerdict;
}

/**
 * A tunnel in which nothing passes is recreated, and if that does not help, again and again with growing delays. If it
 * lost only one IP version, it is recreated once, because the other version may be in use; if it never had that
 * version, it is left alone, because the gateway lacks it. What passed before is checked twice: the engine needs up to
 * five seconds to notice that UDP is lost, and then continues over TCP by itself.
 */
export function createSilencePolicy(now: () => number = () => performance.now()): SilencePolicy {
  const passedBefore = new Set<Family>();
  const recreatedFor = new Set<Family>();
  let recreations = 0;
  let notBefore = -Infinity;
  /** The number of consecutive reviews in which each was silent. */
  const silentRounds = new Map<Family, number>();
  return {
    review({ passing, silent }) {
      for (const family of silent) silentRounds.set(family, (silentRounds.get(family) ?? 0) + 1);
      const isSudden = silent.some((family) => passedBefore.has(family) && silentRounds.get(family) === 1);
      for (const family of passing) {
        silentRounds.delete(family);
        passedBefore.add(family);
        recreatedFor.delete(family);
      }
      if (passing.length > 0) {
        recreations = 0;
        notBefore = -Infinity;
        const lost = silent.filter((family) => passedBefore.has(family) && !recreatedFor.has(family));
        if (lost.length === 0) return 'keep';
        if (isSudden) return 'look-again';
        for (const family of lost) recreatedFor.add(family);
        return 'recreate';
      }
      if (isSudden) return 'look-again';
      if (now() < notBefore) return 'keep';
      const wait = recreationDelays[Math.min(recreations, recreationDelays.length - 1)];
      recreations += 1;
      notBefore = now() + (wait ?? 0);
      return 'recreate';
    },
  };
}
