import { pauseAfter, spread } from '#shared/back-off.ts';

/** The first reconnect is tried almost at once, because most losses are short. */
const firstMs = 200;
const later = { firstMs: 1_000, maxMs: 30_000 } as const;

/** The random share of a delay is at most a fifth. */
const shares = [1, 0.8] as const;

/** The delay before the reconnect with this number, counted from 1, in milliseconds. */
export function backOffMs(reconnect: number, random: () => number = Math.random): number {
  const delay = reconnect <= 1 ? firstMs : pauseAfter(reconnect - 1, later);
  return Math.round(spread(delay, shares, random));
}
