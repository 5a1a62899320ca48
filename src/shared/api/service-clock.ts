/**
 * The time by the service's clock, as far as its answers say it. Whether a plan or a trial has ended, and what else
 * the service has set a time for, does not depend on what somebody has set this device's clock to.
 */
export interface ServiceClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** What has to be added to this device's time; 0 if its clock is right. */
  offset(): number;
  learn(answer: DatedAnswer): void;
  /** Looks whether this device's clock was set since. */
  check(): void;
  onChange(listener: (offset: number) => void): void;
}

/** When a call was sent and answered. */
export interface DatedAnswer {
  /** The answer's `Date` (RFC 9110 §6.6.1). */
  date: string | null | undefined;
  /** Its `Age`, if a cache has kept it (RFC 9111 §5.1): then it says when it was made, not when it was sent. */
  age?: string | null | undefined;
  /** By this device's clock, in milliseconds since 1970. */
  sentAt: number;
  arrivedAt: number;
  /** How long that was by a clock that nobody can set, in milliseconds. */
  tookMs: number;
}

export interface ServiceClockOptions {
  /** What an earlier run has measured. */
  offset?: number | undefined;
  /**
   * Milliseconds since any fixed time, by a clock that nobody can set and that sleep does not stop, if there is one.
   */
  steady?: (() => number) | undefined;
}

/** Clocks differ by a little, an answer takes its time, and a `Date` has whole seconds. */
const toleranceMs = 5000;

export function createServiceClock({ offset: first = 0, steady }: ServiceClockOptions = {}): ServiceClock {
  const listeners: ((offset: number) => void)[] = [];
  /** By how much this device's clock was set since the last answer. */
  const leap = () => (steady ? Date.now() - steady() - base : 0);
  let base = steady ? Date.now() - steady() : 0;
  let measured = first;
  let told = first;

  function offset(): number {
    const now = measured - leap();
    return Math.abs(now - told) <= toleranceMs ? told : Math.round(now);
  }

  function check(): void {
    const now = offset();
    if (now === told) return;
    told = now;
    for (const listener of listeners) listener(now);
  }

  return {
    now: () => Date.now() + offset(),
    offset,
    learn({ date, age, sentAt, arrivedAt, tookMs }) {
      const at = Date.parse(date ?? '');
      // A device that was set or slept during the call has no one time for it.
      const isSet = Math.abs(arrivedAt - sentAt - tookMs) > toleranceMs;
      if (Number.isNaN(at) || isSet || isKept(age)) return;
      // The answer was made between the two, in the second that it names.
      const [least, most] = [at - arrivedAt, at + 1000 - sentAt];
      const known = offset();
      const isRight = known >= least - toleranceMs && known <= most + toleranceMs;
      const isZero = least - toleranceMs <= 0 && most + toleranceMs >= 0;
      measured = isZero ? 0 : isRight ? known : Math.round((least + most) / 2);
      if (steady) base = Date.now() - steady();
      check();
    },
    check,
    onChange: (listener) => void listeners.push(listener),
  };
}

const isKept = (age: string | null | undefined) => age != null && age.trim() !== '0';

/** From here on, users are told that their clock is wrong. */
export const maxClockErrorMs = 2 * 60_000;
