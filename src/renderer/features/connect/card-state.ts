import { isBlocked, problemsByWeight, type ConnectRefusal } from '#shared/tunnel/look.ts';
import type { DisconnectReason, InvalidCause, TunnelState } from '#shared/tunnel/state.ts';

/** What the connect card can show; each state has its own picture and text. */
export type CardState =
  | 'loading'
  | 'disconnected'
  | 'failed'
  /** Traffic should be blocked, but is not. */
  | 'exposed'
  | 'captive-portal'
  | 'needs-plan'
  | 'sign-in-needed'
  | 'blocked'
  | 'blocked-by-portal'
  | 'connecting'
  | 'reconnecting'
  | 'connected'
  | 'impaired'
  | 'disconnecting'
  | 'update-needed'
  | 'helper-absent'
  | 'not-allowed'
  | 'part-missing'
  | 'unsupported';

/** What is known when the card is drawn. */
export interface Situation {
  state: TunnelState | undefined;
  refusal: ConnectRefusal | undefined;
  /** This user has no server because a plan is missing. */
  needsPlan: boolean;
}

const ofCause = {
  'helper-absent': 'helper-absent',
  'helper-unapproved': 'helper-absent',
  'helper-incompatible': 'update-needed',
  'installation-refused': 'part-missing',
  'permission-denied': 'not-allowed',
  'engine-absent': 'part-missing',
  'tunnel-unsupported': 'unsupported',
} as const satisfies Record<InvalidCause, CardState>;

export function cardState({ state, refusal, needsPlan }: Situation): CardState {
  if (isBlocked(state)) return isPortal(state) && !state?.ownedByOther ? 'blocked-by-portal' : 'blocked';
  switch (state?.state) {
    case undefined:
      return 'loading';
    case 'invalid':
      return ofCause[state.cause];
    case 'connecting':
      return state.attempt > 1 ? 'reconnecting' : 'connecting';
    case 'connected':
      return problemsByWeight(state).length > 0 ? 'impaired' : 'connected';
    case 'disconnecting':
      return 'disconnecting';
    case 'disconnected':
      if (state.ownedByOther) return 'disconnected';
      if (state.reason === 'protection-failed') return 'exposed';
      if (isPortal(state)) return 'captive-portal';
      if (needsPlan) return 'needs-plan';
      return ofTrouble(refusal ?? state.reason);
    default:
      return state satisfies never;
  }
}

function ofTrouble(trouble: ConnectRefusal | DisconnectReason | undefined): CardState {
  if (trouble === 'not-signed-in' || trouble === 'sign-in-refused') return 'sign-in-needed';
  // What the user caused is not a failure.
  return trouble === undefined || trouble === 'sign-in-cancelled' ? 'disconnected' : 'failed';
}

const isPortal = (state: TunnelState | undefined) =>
  state?.state === 'disconnected' && state.reason === 'captive-portal';
