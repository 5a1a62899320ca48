import type { TunnelState } from '#shared/tunnel/state.ts';

/** A tunnel that carries answers counts as a network, whatever else can be reached. */
export function isTunnelOnline(state: TunnelState | undefined): boolean {
  if (state?.state !== 'connected') return false;
  const problems = state.problems ?? [];
  return !problems.includes('nothing-passes') && !problems.includes('no-internet');
}
