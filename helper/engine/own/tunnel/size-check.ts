import { probeSizes } from './mtu.ts';

/**
 * Notices that a path carries no packets of the largest size any more, which nobody is told of where the messages about
 * that get lost, too (RFC 8899 §4.3): such a packet is asked for an answer of its size, now and then while the path is
 * used. Where only smaller ones are answered, the path has become smaller.
 */
export interface SizeCheck {
  /**
   * Asks what is due. `smaller`: the largest size that still passes, told once; `next`: when to call again at the
   * latest. `usedAt`: when data was sent last.
   */
  check(now: number, usedAt: number): { smaller?: number; next: number };
  takeAnswer(bytes: number, now: number): void;
}

type State =
  | { at: 'resting'; since: number }
  /** `answered`: how many answers of each smaller size have come. */
  | { at: 'asking'; round: number; askedAt: number; answered: Map<number, number> };

/** So often at most, which is a packet and its answer. */
const everyMs = 5_000;
/**
 * Where many packets get lost, the largest may be among them by chance. At 40 % both ways, this mistake is made once in
 * a hundred checks, and without loss, the check takes four rounds.
 */
const answersThatCount = 3;
const answersOfSize = 2;
const maxRounds = 12;

export function createSizeCheck(options: {
  mtu: number;
  /** For how long an answer is waited for. */
  askAfterMs: number;
  begunAt: number;
  ask: (bytes: number) => void;
}): SizeCheck {
  const { mtu, askAfterMs, ask } = options;
  const [, ...smaller] = probeSizes(mtu);
  let state: State = { at: 'resting', since: options.begunAt };

  /** The largest size that passes, once it is certain that the largest of all does not. */
  function passing(answered: ReadonlyMap<number, number>): number | undefined {
    const most = Math.max(0, ...answered.values());
    if (most < answersThatCount) return undefined;
    return smaller.find((size) => (answered.get(size) ?? 0) >= answersOfSize);
  }

  return {
    check(now, usedAt) {
      if (state.at === 'resting') {
        if (usedAt <= state.since || smaller.length === 0) return { next: Infinity };
        if (now < state.since + everyMs) return { next: state.since + everyMs };
        state = { at: 'asking', round: 1, askedAt: now, answered: new Map() };
        ask(mtu);
        return { next: now + askAfterMs };
      }
      if (now < state.askedAt + askAfterMs) return { next: state.askedAt + askAfterMs };
      const found = passing(state.answered);
      if (found !== undefined || state.round === maxRounds) {
        state = { at: 'resting', since: now };
        return { ...(found !== undefined && { smaller: found }), next: now + everyMs };
      }
      state = { ...state, round: state.round + 1, askedAt: now };
      for (const size of [mtu, ...smaller]) ask(size);
      return { next: now + askAfterMs };
    },
    takeAnswer(bytes, now) {
      if (state.at !== 'asking') return;
      if (bytes === mtu) state = { at: 'resting', since: now };
      else state.answered.set(bytes, (state.answered.get(bytes) ?? 0) + 1);
    },
  };
}
