import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { trialEndingHours } from '#shared/constants.ts';
import { withPlan } from '#shared/plan/with-plan.ts';
import type { ActiveRouting, TunnelState } from '#shared/tunnel/state.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { useApp } from '../../../platform/host-context.tsx';
import { useServiceNow } from '../../../ui/time/use-service-now.ts';
import { withCommands } from '../../../ui/text/with-commands.tsx';
import { TrialAnnouncement } from '../../server-chooser/trial-announcement.tsx';
import { TrialTag } from '../../server-chooser/trial-tag.tsx';
import { isMember } from '../../session/is-member.ts';
import { useUser } from '../../session/use-user.ts';
import { usePreferences } from '../../preferences/use-preferences.ts';
import { cardActions, type ServerLookup } from '../card-actions.ts';
import { cardState, type CardState } from '../card-state.ts';
import { ConnectButtons } from '../connect-buttons.tsx';
import { ConnectionFacts } from './connection-facts.tsx';
import { RouteFigure } from '../route-figure.tsx';
import { StatusEnd, StatusProblems, StatusTrouble } from './status-messages.tsx';
import classes from './status-panel.module.css';
import { useTunnelView } from '../../tunnel/tunnel-context.tsx';
import { shownState } from '../../tunnel/tunnel-store.ts';
import { causeTexts, phaseTexts, statusText, waitingText } from '#shared/texts/tunnel-texts.ts';
import { lookOf, problemsByWeight, type ConnectRefusal } from '#shared/tunnel/look.ts';
import { isServerAt, type ListedServer } from '#shared/plan/usable-group.ts';

interface StatusPanelProps {
  servers: readonly ListedServer[];
  chosen: ListedServer | undefined;
  serverLookup: ServerLookup;
  /** This user has no server because a plan is missing. */
  needsPlan: boolean;
  /** It is known that the user may use a server now. */
  hasPlan: boolean;
  /** The server that Connect uses, as a link to all others. */
  children: ReactNode;
}

/** The tunnel's state, what it means for the user, and at most two actions. */
export function StatusPanel(props: StatusPanelProps) {
  const { servers, chosen, serverLookup, needsPlan, hasPlan, children } = props;
  const { t } = useTranslation();
  const { portalAddress } = useApp();
  const { data: user } = useUser();
  const view = useTunnelView();
  const state = withPlan(shownState(view), hasPlan);
  const { refusal } = view;
  // Kept while a tunnel that broke is being recreated.
  const [isUnfolded, setUnfolded] = useState(false);
  const look = lookOf(state);
  const card = cardState({ state, refusal, needsPlan });
  const trial = chosen?.group.isTrial ? chosen.group : undefined;
  const isTrialEnding = useTrialEnding(trial?.trialExpiredAt);
  const isTrialShown =
    look !== 'blocked' &&
    look !== 'invalid' &&
    (look !== 'impaired' || isTrialEnding) &&
    !state?.ownedByOther;
  const actions = cardActions({
    state,
    refusal,
    serverLookup,
    needsPlan,
    isElsewhere: state?.state === 'connected' && chosen !== undefined && !isServerAt(chosen, state.gateway),
    isMember: user !== undefined && isMember(user),
    isTrialEnding,
    findsPortal: portalAddress !== undefined,
  });
  return (
    <section className={classes.panel} data-look={look} aria-labelledby="tunnel-status">
      <div className={classes.figure}>
        <RouteFigure
          look={look}
          card={card}
          problem={look === 'impaired' ? problemsByWeight(state)[0] : undefined}
        />
      </div>
      <div className={classes.status} aria-live="polite">
        <h2 id="tunnel-status" className={classes.word}>
          {t(cardTitles[card] ?? statusText(state))}
        </h2>
        <StatusDetail {...{ card, state, refusal, servers }} />
      </div>
      {trial && isTrialShown && (
        <div className={classes.trial}>
          <TrialTag trialExpiredAt={trial.trialExpiredAt} />
          <TrialAnnouncement group={trial} />
          {isTrialEnding && <p className={classes.detail}>{t('connect.trialKeep')}</p>}
        </div>
      )}
      <div className={classes.messages}>
        <StatusTrouble {...{ card, state, refusal }} />
        <StatusProblems state={state} />
        <StatusEnd state={state} />
      </div>
      {children}
      {actions.length > 0 && (
        <div className={classes.buttons}>
          <ConnectButtons actions={actions} chosen={chosen} />
        </div>
      )}
      {state?.state === 'connected' && (
        <ConnectionFacts state={state} isUnfolded={isUnfolded} onUnfold={setUnfolded} />
      )}
    </section>
  );
}

/** A trial is about to end during its last day. */
function useTrialEnding(trialExpiredAt: string | null | undefined): boolean {
  const now = useServiceNow(60);
  return trialExpiredAt != null && Date.parse(trialExpiredAt) - now < trialEndingHours * 3_600_000;
}

/** States in which the card says more than the tunnel's state. */
const cardTitles: Partial<Record<CardState, TextKey>> = {
  'captive-portal': 'reason.captivePortal',
  'needs-plan': 'connect.needsPlan',
  'sign-in-needed': 'connect.signInNeeded',
};

interface StatusDetailProps extends Pick<StatusPanelProps, 'servers'> {
  card: CardState;
  state: TunnelState | undefined;
  refusal: ConnectRefusal | undefined;
}

function StatusDetail({ card, state, refusal, servers }: StatusDetailProps) {
  const { t } = useTranslation();
  const detail = (text: string) => <p className={classes.detail}>{withCommands(text)}</p>;
  switch (card) {
    case 'loading':
    case 'disconnecting':
      return null;
    case 'blocked':
    case 'blocked-by-portal':
      // If another user blocks traffic, a text below says so.
      return state?.ownedByOther ? null : detail(t('connect.blockedText'));
    case 'disconnected':
    case 'failed':
      return detail(t('connect.exposed'));
    // The message says it.
    case 'exposed':
      return null;
    case 'needs-plan':
      return detail(t('connect.exposed'));
    case 'captive-portal':
      return detail(t('reason.captivePortalText'));
    case 'sign-in-needed':
      return (
        <>
          {detail(t('connect.exposed'))}
          {detail(t(refusal ? 'reason.notSignedIn' : 'reason.signInRefused'))}
        </>
      );
    case 'connecting':
    case 'reconnecting':
      return state?.state === 'connecting' ? <ConnectingDetail state={state} /> : null;
    case 'connected':
    case 'impaired': {
      const [worst] = problemsByWeight(state);
      if (state?.state !== 'connected' || worst === 'routes-overruled' || worst === 'nothing-passes')
        return null;
      // The proxy and the chosen programs of another user are private.
      if (state.ownedByOther && (state.routing.mode === 'pac' || state.routing.mode === 'app')) return null;
      const server = servers.find((listed) => isServerAt(listed, state.gateway))?.name ?? state.gateway.host;
      return detail(t(protectionText(state.routing), { server }));
    }
    case 'helper-absent':
    case 'update-needed':
    case 'not-allowed':
    case 'part-missing':
    case 'unsupported':
      return state?.state === 'invalid' && !state.ownedByOther
        ? detail(t(causeTexts[state.cause].text))
        : null;
    default:
      return card satisfies never;
  }
}

function ConnectingDetail({ state }: { state: Extract<TunnelState, { state: 'connecting' }> }) {
  const { t } = useTranslation();
  const { kind } = useApp();
  const { preferences } = usePreferences();
  const attempt = state.attempt > 1 ? ` · ${t('connect.attempt', { attempt: state.attempt })}` : '';
  // It is not known what another user has chosen, or what a phone's system does meanwhile.
  const isKnown = kind === 'desktop' && preferences !== undefined && !state.ownedByOther;
  return (
    <>
      {isKnown && <p className={classes.detail}>{t(waitingText(preferences))}</p>}
      {/* Not announced: several a second, or another attempt each time while there is no network, would be noise. */}
      <p className={classes.detail} aria-live="off">
        {`${t(phaseTexts[state.phase])}${attempt}`}
      </p>
    </>
  );
}

/** A mobile app only says that there are programs and prefixes. */
function protectionText(routing: ActiveRouting) {
  if ((routing.mode !== 'app' && routing.mode !== 'ip') || routing.policy === undefined)
    return protectionTexts[routing.mode];
  return chosenTexts[routing.mode][routing.policy];
}

const chosenTexts = {
  app: { include: 'connect.protectedApps', exclude: 'connect.protectedOtherApps' },
  ip: { include: 'connect.protectedAddresses', exclude: 'connect.protectedOtherAddresses' },
} as const satisfies Record<'app' | 'ip', Record<'include' | 'exclude', TextKey>>;

const protectionTexts = {
  global: 'connect.protected',
  split: 'connect.protectedSplit',
  pac: 'connect.protectedPartly',
  app: 'connect.protectedPartly',
  ip: 'connect.protectedPartly',
} as const satisfies Record<ActiveRouting['mode'], TextKey>;
