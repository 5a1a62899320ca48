import { useTranslation } from 'react-i18next';
import { mayBePortal, problemsByWeight, type ConnectRefusal } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import {
  causeTexts,
  ownedByOther,
  problemTexts,
  reasonTexts,
  refusalTexts,
} from '#shared/texts/tunnel-texts.ts';
import { useApp } from '../../platform/host-context.tsx';
import { Message } from '../../ui/message.tsx';
import { withCommands } from '../../ui/with-commands.tsx';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';
import type { CardState } from './card-state.ts';
import { PortalButton } from './portal-button.tsx';

/** What is wrong with a tunnel that is up, worst first; the title of the first one is already shown above. */
export function StatusProblems({ state }: { state: TunnelState | undefined }) {
  const { t } = useTranslation();
  // Users who cannot change the connection are not told what to do about it.
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
      {text && t(text)}
    </Message>
  );
}
