import { uptime } from 'node:os';

/** In milliseconds. */
export interface Clocks {
  /** The time that the user sees and may set. */
  wall(): number;
  /** Since the machine was booted, including suspension. */
  boot(): number;
}

export const systemClocks: Clocks = { wall: () => Date.now(), boot: () => uptime() * 1000 };
