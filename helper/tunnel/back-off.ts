/** Waits before the first, second, … re-connect, in milliseconds; the last one repeats. */
const delays = [200, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

/** Share of a wait that is left to chance, so that a gateway's clients do not all come back at once. */
const jitter = 0.2;

/** How long to wait before the re-connect with that number, counted from 1, in milliseconds. */
export function backOffMs(reconnect: number, random: () => number = Math.random): number {
  const delay = delays[Math.min(reconnect, delays.length) - 1] ?? delays[0];
  return Math.round(delay * (1 - jitter * random()));
}
