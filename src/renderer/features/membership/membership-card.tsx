import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/entities.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useRemoval } from '../../api/use-removal.ts';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { EmailText } from '../../ui/text/email-text.tsx';
import { Facts } from '../../ui/lists/facts.tsx';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';
import { changedByMembership } from './group-calls.ts';
import classes from './membership.module.css';

/** Whose plan a member uses, and a button to leave it; nothing for others. */
export function MembershipCard() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const leave = useApiMutation('leaveGroup', { changes: changedByMembership });
  const { asked, ask, busy, confirm } = useRemoval<User>(() => leave.mutateAsync({}), 'membership.left');
  if (!user || !isMember(user)) return null;
  const { payer } = user.profile;
  return (
    <Card title={t('membership.title')}>
      <p>{t('service.shared')}</p>
      {payer !== undefined && (
        <Facts facts={[{ name: t('membership.payer'), value: <EmailText email={payer} /> }]} />
      )}
      <div className={classes.actions}>
        <Button variant="default" onClick={() => ask(user)}>
          {t('membership.leave')}
        </Button>
      </div>
      {asked && (
        <ConfirmDialog
          title={t('membership.leaveTitle')}
          text={t('membership.leaveText')}
          confirm={t('membership.leave')}
          busy={busy}
          onConfirm={() => void confirm()}
          onClose={() => ask(undefined)}
        />
      )}
    </Card>
  );
}
