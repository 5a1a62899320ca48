import type { TunnelState } from '#shared/tunnel/state.ts';

/** A tunnel through which something comes back is a network, whatever else can be reached. */
export function isTunnelOnline(state: TunnelState | undefined): boolean {
  if (state?.state !== 'connected') return false;
  const problems = state.problems ?? [];
  return !problems.includes('nothing-passes') && !problems.includes('no-internet');
}
