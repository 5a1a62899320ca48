import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayBePortal, problemsByWeight, type ConnectRefusal } from '#shared/tunnel/look.ts';
import { sessionWarningMs } from '#shared/tunnel/session-warning.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import {
  causeTexts,
  ownedByOther,
  problemText,
  reasonTexts,
  refusalTexts,
} from '#shared/texts/tunnel-texts.ts';
import { formatTime } from '../../../i18n/format.ts';
import { useLanguageTag } from '../../../i18n/language-context.tsx';
import { useApp } from '../../../platform/host-context.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { Message } from '../../../ui/messages/message.tsx';
import { useNow } from '../../../ui/time/use-now.ts';
import { withCommands } from '../../../ui/text/with-commands.tsx';
import { isMember } from '../../session/is-member.ts';
import { useUser } from '../../session/use-user.ts';
import type { CardState } from '../card-state.ts';
import { PortalButton } from './portal-button.tsx';
import classes from './status-messages.module.css';

/**
 * What is wrong with a tunnel that is up, or keeps it from that: the worst problem, whose title is already shown above,
 * and the others on demand, because together they would push the buttons out of the window.
 */
export function StatusProblems({ state }: { state: TunnelState | undefined }) {
  const { t } = useTranslation();
  const [isUnfolded, setUnfolded] = useState(false);
  const [worst, ...others] = problemsByWeight(state);
  // Users who cannot change the connection are not told what to do about it.
  if (worst === undefined || state?.ownedByOther) return null;
  return (
    <>
      <Message tone="warn">{t(problemText(worst).text)}</Message>
      {others.length > 0 && (
        <Fold
          summary={<span aria-live="polite">{t('problem.others', { count: others.length })}</span>}
          isUnfolded={isUnfolded}
          onUnfold={setUnfolded}
        >
          <div className={classes.others}>
            {others.map((problem) => (
              <Message key={problem} tone="warn" title={t(problemText(problem).title)}>
                {t(problemText(problem).text)}
              </Message>
            ))}
          </div>
        </Fold>
      )}
    </>
  );
}

/** The gateway is about to end the session. */
export function StatusEnd({ state }: { state: TunnelState | undefined }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const now = useNow(10);
  if (state?.state !== 'connected') return null;
  const { endsAt = 0, idleEndsAt = 0 } = state.terms ?? {};
  // In one piece: “PM” does not stand alone on the next line.
  const time = (at: number) => ({ time: formatTime(new Date(at), language).replace(/\s/g, '\u00a0') });
  if (endsAt > now && endsAt - now <= sessionWarningMs)
    return <Message tone="info">{t('connect.sessionEndsSoon', time(endsAt))}</Message>;
  return idleEndsAt > now ? (
    <Message tone="info">{t('connect.idleEndsSoon', time(idleEndsAt))}</Message>
  ) : null;
}

interface StatusTroubleProps {
  card: CardState;
  state: TunnelState | undefined;
  refusal: ConnectRefusal | undefined;
}

/** What went wrong last and what the user can do about it, unless the card itself says so. */
export function StatusTrouble({ card, state, refusal }: StatusTroubleProps) {
  const { t } = useTranslation();
  const { portalAddress } = useApp();
  const { data: user } = useUser();
  if (card === 'captive-portal' || card === 'sign-in-needed') return null;
  if (state?.state === 'invalid' && card === 'blocked' && !state.ownedByOther) {
    const { title, text } = causeTexts[state.cause];
    return (
      <Message tone="warn" title={t(title)}>
        {withCommands(t(text))}
      </Message>
    );
  }
  const reason = state?.state === 'disconnected' ? state.reason : undefined;
  const own = refusal ? refusalTexts[refusal] : reason && reasonTexts[reason];
  const trouble = state?.ownedByOther ? ownedByOther : own;
  if (!trouble) return null;
  const { tone = 'bad', title, whileBlocked, forMember } = trouble;
  const isMembers = forMember && user && isMember(user);
  // A text below says who pays for the missing plan.
  const membersText = card === 'needs-plan' ? undefined : forMember;
  const text = (card === 'blocked-by-portal' && whileBlocked) || (isMembers ? membersText : trouble.text);
  // Both buttons of the card are taken: one connects again, the other unblocks.
  const offersPortal =
    portalAddress !== undefined &&
    card === 'blocked' &&
    !refusal &&
    !state?.ownedByOther &&
    mayBePortal(state);
  return (
    <Message tone={tone} title={t(title)} action={offersPortal && <PortalButton />}>
      {text && withCommands(t(text))}
    </Message>
  );
}
