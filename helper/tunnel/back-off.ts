/** Delays before the first, second, … reconnect, in milliseconds; the last one repeats. */
const delays = [200, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

/** The random share of a delay, so that a gateway's clients do not all come back at once. */
const jitter = 0.2;

/** The delay before the reconnect with this number, counted from 1, in milliseconds. */
export function backOffMs(reconnect: number, random: () => number = Math.random): number {
  const delay = delays[Math.min(reconnect, delays.length) - 1] ?? delays[0];
  return Math.round(delay * (1 - jitter * random()));
}
