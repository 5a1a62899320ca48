import { setImmediate as turn } from 'node:timers/promises';
import { createEcho } from './echo-message.ts';
import { createWake } from '../../wake.ts';
import {
  askByDatagram,
  dnsPort,
  familyOf,
  paddedQuestion,
  probeLimitMs,
  type Asked,
  type ProbePlan,
} from './traffic-probe.ts';

/** What is looked for where the full size does not pass any more, in bytes of IP packets. */
const sizes = [1440, 1400, 1360, 1320, 1280, 1240, 1200, 1160, 1120, 1080, 1000, 900, 800, 700, 600] as const;

/** Who has not answered as often before does not take questions of that size. */
const maxRefusals = 3;

/** Headers of IP, and with those of UDP or ICMP, in bytes. */
const headerBytes = { ipv4: 28, ipv6: 48 } as const;
const icmpBytes = 8;

export type WatchedPlan = Pick<ProbePlan, 'addresses' | 'resolvers' | 'mtu' | 'roundTripMs'>;

/** Sends a resolver a question of this many bytes, with the headers of its IP packet; false if that cannot be done. */
type Ask = (bytes: number, asked: Asked & { address: string }) => boolean;

/**
 * Notices when packets of the tunnel's full size are lost on a path that has carried them, as nobody is told of. Its
 * resolvers are asked questions of that size, which are lost on the way there, and have to answer others (ICMP) in the
 * same size, which are lost on the way back, too. Only what was answered before counts, since not everybody answers
 * those. Resolves with the largest size that passes now, if that has become smaller.
 */
export function createSizeWatch(
  plan: WatchedPlan,
  openEcho: (own: string) => number | undefined,
): (signal: AbortSignal) => Promise<number | undefined> {
  const watches = [watchBy(plan, askForNames), watchBy(plan, askForEcho(openEcho))];
  return async (signal) => {
    const found = await Promise.all(watches.map((watch) => watch(signal)));
    const smaller = found.filter((size) => size !== undefined);
    return smaller.length > 0 ? Math.min(...smaller) : undefined;
  };
}

const askForNames: Ask = (bytes, asked) => {
  const message = paddedQuestion(bytes - headerBytes[familyOf(asked.address)]);
  askByDatagram({ ...asked, port: dnsPort, message });
  return true;
};

const askForEcho =
  (openEcho: (own: string) => number | undefined): Ask =>
  (bytes, asked) => {
    const descriptor = openEcho(asked.own);
    if (descriptor === undefined) return false;
    const family = familyOf(asked.address);
    const echo = createEcho(family, bytes - headerBytes[family] + icmpBytes);
    // There are no ports, but no socket is connected without.
    askByDatagram({ ...asked, port: 1, ...echo, descriptor });
    return true;
  };

/** The same by one kind of question. */
function watchBy(plan: WatchedPlan, ask: Ask): (signal: AbortSignal) => Promise<number | undefined> {
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
    let isAsked = false;
    try {
      for (const size of asked) {
        for (const address of resolvers) {
          const own = plan.addresses[familyOf(address)] ?? '';
          const onAnswer = () => {
            answered.add(size);
            wake.call();
          };
          isAsked = ask(size, { own, address, signal, onAnswer }) || isAsked;
        }
      }
      if (!isAsked) return [];
      const end = performance.now() + probeLimitMs(plan.roundTripMs);
      while (!answered.has(asked[0] ?? 0) && performance.now() < end) {
        await wake.within(end - performance.now(), signal);
        // On a machine that is busy or stood still, what has come is read after that.
        await turn();
      }
    } finally {
      over.abort();
    }
    return asked.filter((size) => answered.has(size));
  }
}
