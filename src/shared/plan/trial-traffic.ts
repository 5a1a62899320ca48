import { trialTrafficEnoughRatio } from '../constants.ts';
import type { TrafficStats } from '../entities.ts';

/** Whether a trial has enough traffic left (specification §9); without a limit it always has. */
export function isTrafficEnough({ rated, in: received, out: sent }: TrafficStats): boolean {
  return rated === 0 || (received + sent) / rated <= trialTrafficEnoughRatio;
}
