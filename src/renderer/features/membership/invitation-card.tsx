import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Invitation } from '#shared/entities.ts';
import { errorText } from '../../api/api-failure.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { formatDate } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Card } from '../../ui/card.tsx';
import { findHeading } from '../../ui/focus/focus-heading.ts';
import { Tag } from '../../ui/text/tag.tsx';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import { changedByMembership } from './group-calls.ts';
import classes from './membership.module.css';

/** Says who invites to what, and takes the answer. Nothing changes for the user before they accept. */
export function InvitationCard({
  invitation,
  onFailure,
}: {
  invitation: Invitation;
  /** The invitation may be over: withdrawn, expired, or answered elsewhere. */
  onFailure: () => void;
}) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const accept = useApiMutation('acceptInvitation', { changes: changedByMembership });
  const decline = useApiMutation('declineInvitation', { changes: ['invitations'] });
  const busy = accept.isPending || decline.isPending;
  const { id, from, service, expiresAt } = invitation;

  // The card disappears once the answer is known, perhaps before the call returns.
  const answer = async (call: typeof accept | typeof decline, said: 'accepted' | 'declined') => {
    if (busy) return;
    const heading = findHeading();
    try {
      await call.mutateAsync({ params: { id } });
      showSuccess(t(`membership.${said}`));
      heading?.focus();
    } catch (error) {
      showError(errorText(error instanceof Error ? error : new Error(String(error)), t));
      onFailure();
    }
  };
  return (
    <Card
      title={t('membership.invitation')}
      aside={
        <Tag tone="plain">
          {t('membership.validUntil', { date: formatDate(new Date(expiresAt), language) })}
        </Tag>
      }
    >
      <p className={classes.lead}>{t('membership.invites', { email: from, service })}</p>
      <p>{t('membership.means')}</p>
      <div className={classes.actions}>
        <Button
          loading={accept.isPending}
          disabled={decline.isPending}
          onClick={() => void answer(accept, 'accepted')}
        >
          {t('membership.accept')}
        </Button>
        <Button
          variant="default"
          loading={decline.isPending}
          disabled={accept.isPending}
          onClick={() => void answer(decline, 'declined')}
        >
          {t('membership.decline')}
        </Button>
      </div>
    </Card>
  );
}
