import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ActiveRouting, TunnelState } from '#shared/tunnel/state.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { Message } from '../../ui/message.tsx';
import { showError } from '../../ui/toast.ts';
import { ShopButton } from '../purchase/shop-button.tsx';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';
import { ConnectButtons } from './connect-buttons.tsx';
import { ConnectionFacts } from './connection-facts.tsx';
import { isForConnecting } from './main-button.ts';
import { RouteFigure } from './route-figure.tsx';
import classes from './status-panel.module.css';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import { shownState, type TunnelView } from '../tunnel/tunnel-store.ts';
import {
  causeTexts,
  ownedByOther,
  phaseTexts,
  problemTexts,
  reasonTexts,
  refusalTexts,
  statusText,
} from '#shared/texts/tunnel-texts.ts';
import { isBlocked, lookOf, problemsByWeight } from '#shared/tunnel/look.ts';
import { isServerAt, type ListedServer } from '#shared/plan/usable-group.ts';

interface StatusPanelProps {
  servers: readonly ListedServer[];
  chosen: ListedServer | undefined;
  /** There are servers, and none for this user. */
  needsPlan: boolean;
  /** The server that Connect goes to, as a way to all others. */
  children: ReactNode;
}

/** The tunnel's state, what it means for the user, and the one button that changes it. */
export function StatusPanel({ servers, chosen, needsPlan, children }: StatusPanelProps) {
  const { t } = useTranslation();
  const view = useTunnelView();
  const state = shownState(view);
  // Kept while a tunnel that broke is made again.
  const [isUnfolded, setUnfolded] = useState(false);
  const look = lookOf(state);
  return (
    <section className={classes.panel} data-look={look} aria-labelledby="tunnel-status">
      <RouteFigure look={look} problem={problemsByWeight(state)[0]} />
      <div className={classes.status} aria-live="polite">
        <h2 id="tunnel-status" className={classes.word}>
          {t(statusText(state))}
        </h2>
        <StatusDetail {...{ state, servers, chosen, needsPlan }} />
      </div>
      <StatusTrouble view={view} needsPlan={needsPlan} />
      <StatusProblems state={state} />
      {children}
      <ConnectButtons state={state} chosen={chosen} needsPlan={needsPlan} />
      {state?.state === 'connected' && (
        <ConnectionFacts state={state} isUnfolded={isUnfolded} onUnfold={setUnfolded} />
      )}
    </section>
  );
}

function StatusDetail({
  state,
  servers,
  chosen,
  needsPlan,
}: Omit<StatusPanelProps, 'children'> & { state: TunnelState | undefined }) {
  const { t } = useTranslation();
  // Of another user's block it is said below whose it is.
  if (isBlocked(state)) {
    return state?.ownedByOther ? null : <p className={classes.detail}>{t('connect.blockedText')}</p>;
  }
  switch (state?.state) {
    case undefined:
    case 'disconnecting':
    case 'invalid':
      return null;
    case 'disconnected':
      if (chosen) return <p className={classes.detail}>{t('connect.exposed')}</p>;
      return needsPlan ? <p className={classes.detail}>{t('connect.needsPlan')}</p> : null;
    case 'connecting': {
      const attempt = state.attempt > 1 ? ` · ${t('connect.attempt', { attempt: state.attempt })}` : '';
      return (
        <p className={classes.detail}>
          {t(phaseTexts[state.phase])}
          {attempt}
        </p>
      );
    }
    case 'connected': {
      if (problemsByWeight(state)[0] === 'nothing-passes') return null;
      // The proxy of another user serves that user only.
      if (state.ownedByOther && state.routing.mode === 'pac') return null;
      const server = servers.find((listed) => isServerAt(listed, state.gateway))?.name ?? state.gateway.host;
      return <p className={classes.detail}>{t(protectionTexts[state.routing.mode], { server })}</p>;
    }
    default:
      return state satisfies never;
  }
}

const protectionTexts = {
  global: 'connect.protected',
  split: 'connect.protectedSplit',
  pac: 'connect.protectedPartly',
  app: 'connect.protectedPartly',
  ip: 'connect.protectedPartly',
} as const satisfies Record<ActiveRouting['mode'], TextKey>;

/** What is wrong with a tunnel that is up. The worst has its title above already. */
function StatusProblems({ state }: { state: TunnelState | undefined }) {
  const { t } = useTranslation();
  // What to do about it is not for whoever cannot change the connection.
  if (state?.ownedByOther) return null;
  return problemsByWeight(state).map((problem, index) => {
    const { title, text } = problemTexts[problem];
    return (
      <Message key={problem} tone="warn" {...(index > 0 && { title: t(title) })}>
        {t(text)}
      </Message>
    );
  });
}

/** What went wrong last, and what the user can do about it. */
function StatusTrouble({ view, needsPlan }: { view: TunnelView; needsPlan: boolean }) {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const state = shownState(view);
  const isOthers = state?.ownedByOther;
  if (state?.state === 'invalid' && !isOthers) {
    return <Message tone="warn">{t(causeTexts[state.cause])}</Message>;
  }
  const reason = state?.state === 'disconnected' ? state.reason : undefined;
  const own = view.refusal ? refusalTexts[view.refusal] : reason && reasonTexts[reason];
  const trouble = isOthers ? ownedByOther : own;
  if (!trouble) return null;
  const { tone = 'bad', title, whileBlocked, forMember } = trouble;
  const isMembers = forMember && user && isMember(user);
  // Below it stands the way to the plan that is missing, or who pays for it.
  const isSaid = needsPlan && isForConnecting(state);
  const text = (isBlocked(state) && whileBlocked) || (isMembers ? !isSaid && forMember : trouble.text);
  const portal = isBlocked(state) ? <PassPortal /> : <OpenPortal />;
  return (
    <Message
      tone={tone}
      title={t(title)}
      action={trouble === reasonTexts['captive-portal'] ? portal : forMember && !isSaid && <ShopButton />}
    >
      {text && t(text)}
    </Message>
  );
}

/** In a window of its own, for which alone the block is opened. */
function PassPortal() {
  const { t } = useTranslation();
  const host = useHost();
  const open = async () => {
    const isOpen = await host.portal.open().catch(() => false);
    if (!isOpen) showError(t('error.portal'));
  };
  return (
    <Button variant="default" onClick={() => void open()}>
      {t('connect.passPortal')}
    </Button>
  );
}

/** In a browser, which is what a network's sign-in page is made for. */
function OpenPortal() {
  const { t } = useTranslation();
  const host = useHost();
  const { portalAddress } = useApp();
  if (portalAddress === undefined) return null;
  return (
    <Button variant="default" onClick={() => void host.app.openExternal(portalAddress)}>
      {t('connect.openPortal')}
    </Button>
  );
}
