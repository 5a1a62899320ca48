import { Button } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/entities.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useRemoval } from '../../api/use-removal.ts';
import { Card } from '../../ui/card.tsx';
import { EmailText } from '../../ui/text/email-text.tsx';
import { Facts } from '../../ui/lists/facts.tsx';
import { lazyComponent } from '../../ui/loading/lazy-component.ts';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';
import { changedByMembership } from './group-calls.ts';
import classes from './membership.module.css';

/** Only members load it. */
const ConfirmDialog = lazyComponent(
  async () => (await import('../../ui/dialogs/confirm-dialog.tsx')).ConfirmDialog,
);

/** Whose plan a member uses, and a button to leave it; nothing for others. */
export function MembershipCard() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const leave = useApiMutation('leaveGroup', { changes: changedByMembership });
  const { asked, ask, busy, confirm } = useRemoval<User>(() => leave.mutateAsync({}), 'membership.left');
  const isShown = user !== undefined && isMember(user);
  useEffect(() => {
    if (isShown) void ConfirmDialog.preload();
  }, [isShown]);
  if (!isShown) return null;
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
        <Suspense>
          <ConfirmDialog
            title={t('membership.leaveTitle')}
            text={t('membership.leaveText')}
            confirm={t('membership.leave')}
            busy={busy}
            onConfirm={() => void confirm()}
            onClose={() => ask(undefined)}
          />
        </Suspense>
      )}
    </Card>
  );
}
