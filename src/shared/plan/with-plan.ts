import type { TunnelState } from '../tunnel/state.ts';

/** Whether the last tunnel ended because a trial or a plan did. */
export const endedWithPlan = (state: TunnelState | undefined): boolean =>
  state?.state === 'disconnected' && (state.reason === 'trial-ended' || state.reason === 'plan-ended');

/**
 * The state without what another plan has made untrue: that a trial or plan has ended. `hasPlan`: it is known that the
 * user may use a server now.
 */
export function withPlan<State extends TunnelState | undefined>(state: State, hasPlan: boolean): State {
  if (!hasPlan || state?.state !== 'disconnected' || !endedWithPlan(state)) return state;
  const { reason: _, ...rest } = state;
  return rest as State;
}
