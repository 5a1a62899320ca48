import { mayBeGone } from '#shared/tunnel/look.ts';
import { cardState, type Situation } from './card-state.ts';

/** Everything that can be pressed on the connect card. */
export type CardAction =
  | 'connect'
  /** Connect before anything is known; it cannot be pressed yet. */
  | 'not-yet'
  | 'connect-again'
  | 'switch'
  | 'cancel'
  | 'disconnect'
  /** Disconnect, after it was pressed. */
  | 'disconnecting'
  | 'unblock'
  | 'open-portal'
  | 'pass-portal'
  | 'choose-plan'
  | 'sign-in-again';

/** Whether it is known which server Connect would use; never, if the list is empty or could not be loaded. */
export type ServerLookup = 'known' | 'loading' | 'none';

interface Choices extends Situation {
  serverLookup: ServerLookup;
  /** The chosen server is not the one of the tunnel. */
  isElsewhere: boolean;
  /** Somebody else pays for the user's plan. */
  isMember: boolean;
  /** The tunnel's trial is about to end. */
  isTrialEnding: boolean;
  /** This app knows where a browser meets a network's sign-in page. */
  findsPortal: boolean;
}

/** At most two, the most likely one first; none for another user's connection, and none that can only fail. */
export function cardActions(choices: Choices): readonly CardAction[] {
  const { serverLookup } = choices;
  const actions = actionsOf(choices);
  if (serverLookup === 'known') return actions;
  return actions.flatMap((action) => {
    if (!needsServer.has(action)) return [action];
    return action === 'connect' && serverLookup === 'loading' ? ['not-yet' as const] : [];
  });
}

const needsServer: ReadonlySet<CardAction> = new Set(['connect', 'connect-again', 'switch']);

function actionsOf(choices: Choices): readonly CardAction[] {
  const { state, refusal, isElsewhere, isMember, isTrialEnding } = choices;
  if (state?.ownedByOther) return [];
  const shop: CardAction[] = isMember ? [] : ['choose-plan'];
  const card = cardState(choices);
  switch (card) {
    case 'loading':
      return ['not-yet'];
    case 'disconnected':
      return ['connect', ...(isTrialEnding ? shop : [])];
    case 'failed':
      return ['connect', ...(lacksPlan(state, refusal) || isTrialEnding ? shop : [])];
    case 'exposed':
    // What was missing may have been installed.
    case 'part-missing':
      return ['connect'];
    case 'captive-portal':
      return choices.findsPortal ? ['open-portal', 'connect'] : ['connect'];
    case 'needs-plan':
      return ['choose-plan'];
    case 'sign-in-needed':
      return ['sign-in-again', 'connect'];
    case 'blocked': {
      // If no tunnel can be made, there is no Connect.
      if (state?.state === 'invalid' && !mayBeGone(state.cause)) return ['unblock'];
      return [choices.needsPlan ? 'choose-plan' : 'connect', 'unblock'];
    }
    case 'blocked-by-portal':
      return ['pass-portal', 'unblock'];
    case 'connecting':
      return ['cancel'];
    // Whoever goes to another place with a tunnel that is up may come to a network with a captive portal.
    case 'reconnecting':
      return choices.findsPortal ? ['cancel', 'pass-portal'] : ['cancel'];
    case 'connected':
    case 'impaired':
      if (isElsewhere) return ['switch', 'disconnect'];
      if (card === 'impaired') return ['connect-again', 'disconnect'];
      return ['disconnect', ...(isTrialEnding ? shop : [])];
    case 'disconnecting':
      return ['disconnecting'];
    case 'update-needed':
    case 'helper-absent':
    case 'not-allowed':
    case 'unsupported':
      return [];
    default:
      return card satisfies never;
  }
}

/** With another plan, the last failure would not have happened. */
function lacksPlan(state: Choices['state'], refusal: Choices['refusal']): boolean {
  if (refusal) return refusal === 'not-listed';
  return state?.state === 'disconnected' && (state.reason === 'trial-ended' || state.reason === 'plan-ended');
}
