import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { serviceExpiryCheckSeconds } from '#shared/constants.ts';
import type { Member } from '#shared/entities.ts';
import { formatDate } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { leaveFocusAround } from '../../ui/focus/leave-focus-around.ts';
import { EmailText } from '../../ui/text/email-text.tsx';
import { ListItem } from '../../ui/lists/list-item.tsx';
import { RemoveButton } from '../../ui/buttons/remove-button.tsx';
import { Tag } from '../../ui/text/tag.tsx';
import { useServiceNow } from '../../ui/time/use-service-now.ts';

interface MemberItemProps {
  member: Member;
  /** While an invitation is being sent again. */
  busy: boolean;
  onRemove: () => void;
  onInvite: () => void;
}

/** A member, or somebody who is invited. */
export function MemberItem({ member, busy, onRemove, onInvite }: MemberItemProps) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const now = useServiceNow(serviceExpiryCheckSeconds);
  const { loginId: email, invitation } = member;
  const expired = invitation !== undefined && Date.parse(invitation.expiresAt) <= now;
  const detail = () => {
    if (!invitation) return undefined;
    if (expired) return t('members.expiredText');
    if (invitation.mailFailed) return t('members.mailFailed');
    return t('members.invitedUntil', { date: formatDate(new Date(invitation.expiresAt), language) });
  };
  return (
    <ListItem
      icon={email.charAt(0).toUpperCase()}
      title={
        <>
          <EmailText email={email} />
          {invitation && (
            <Tag tone={expired ? 'warn' : 'plain'}>{t(expired ? 'members.expired' : 'members.invited')}</Tag>
          )}
        </>
      }
      detail={detail()}
    >
      {(expired || invitation?.mailFailed) && (
        <Button
          ref={leaveFocusAround}
          size="sm"
          variant="default"
          loading={busy}
          aria-label={t('members.inviteNamed', { email })}
          onClick={onInvite}
        >
          {t('members.inviteAgain')}
        </Button>
      )}
      <RemoveButton
        label={t(invitation ? 'members.withdrawNamed' : 'members.removeNamed', { email })}
        onClick={onRemove}
      >
        {t(invitation ? 'members.withdraw' : 'members.remove')}
      </RemoveButton>
    </ListItem>
  );
}
