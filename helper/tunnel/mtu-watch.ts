import { createWake } from './wake.ts';
import {
  askByDatagram,
  dnsPort,
  familyOf,
  paddedQuestion,
  probeLimitMs,
  type ProbePlan,
} from './traffic-probe.ts';

/** What is looked for where the full size does not pass any more, in bytes of IP packets. */
const sizes = [1440, 1400, 1360, 1320, 1280, 1240, 1200, 1160, 1120, 1080, 1000, 900, 800, 700, 600] as const;

/** A resolver that has not answered as often before does not take questions of that size. */
const maxRefusals = 3;

/** Headers of IP and UDP, in bytes. */
const headerBytes = { ipv4: 28, ipv6: 48 } as const;

/**
 * Notices when packets of the tunnel's full size are lost on a path that has carried them, as nobody is told of: it asks
 * its resolvers questions of that size. Only what was answered before counts, since not every resolver takes those.
 * Resolves with the largest size that passes now, if that has become smaller.
 */
export function createSizeWatch(
  plan: Pick<ProbePlan, 'addresses' | 'resolvers' | 'mtu' | 'roundTripMs'>,
): (signal: AbortSignal) => Promise<number | undefined> {
  const resolvers = plan.resolvers.filter((address) => plan.addresses[familyOf(address)] !== undefined);
  const smaller = sizes.filter((size) => size < plan.mtu);
  let hasPassed = false;
  let refusals = 0;
  return async (signal) => {
    if (smaller.length === 0 || resolvers.length === 0 || refusals >= maxRefusals) return undefined;
    const [full] = await answeredSizes([plan.mtu], signal);
    if (full !== undefined) {
      hasPassed = true;
      return undefined;
    }
    if (!hasPassed) {
      refusals += 1;
      return undefined;
    }
    const [largest] = await answeredSizes([plan.mtu, ...smaller], signal);
    return largest === plan.mtu ? undefined : largest;
  };

  /** Those that any resolver has answered, the largest first; does not wait for others once the largest is. */
  async function answeredSizes(asked: readonly number[], given: AbortSignal): Promise<number[]> {
    given.throwIfAborted();
    const over = new AbortController();
    const signal = AbortSignal.any([given, over.signal]);
    const wake = createWake();
    const answered = new Set<number>();
    try {
      for (const size of asked) {
        for (const address of resolvers) {
          const family = familyOf(address);
          const message = paddedQuestion(size - headerBytes[family]);
          const own = plan.addresses[family] ?? '';
          const onAnswer = () => {
            answered.add(size);
            wake.call();
          };
          askByDatagram({ own, address, port: dnsPort, message, signal, onAnswer });
        }
      }
      const end = performance.now() + probeLimitMs(plan.roundTripMs);
      while (!answered.has(asked[0] ?? 0) && performance.now() < end)
        await wake.within(end - performance.now(), signal);
    } finally {
      over.abort();
    }
    return asked.filter((size) => answered.has(size));
  }
}
