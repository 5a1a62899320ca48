/** Pauses between attempts: each is twice as long as the one before, up to a maximum. In milliseconds. */
export interface BackOff {
  firstMs: number;
  maxMs: number;
}

/** The pause after this many failures in a row, counted from 1. */
export function pauseAfter(failures: number, { firstMs, maxMs }: BackOff): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs);
}

/**
 * Something between these two shares of a pause, so that programs that lost the same thing at the same time do not all
 * come back at once.
 */
export function spread(
  pauseMs: number,
  [one, other]: readonly [number, number],
  random: () => number = Math.random,
): number {
  return pauseMs * (one + (other - one) * random());
}
