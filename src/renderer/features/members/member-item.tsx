import { useTranslation } from 'react-i18next';
import type { Member } from '#shared/entities.ts';
import { EmailText } from '../../ui/email-text.tsx';
import { ListItem } from '../../ui/list-item.tsx';
import { RemoveButton } from '../../ui/remove-button.tsx';

export function MemberItem({ member, onRemove }: { member: Member; onRemove: () => void }) {
  const { t } = useTranslation();
  const { loginId: email } = member;
  return (
    <ListItem icon={email.charAt(0).toUpperCase()} title={<EmailText email={email} />}>
      <RemoveButton label={t('members.removeNamed', { email })} onClick={onRemove}>
        {t('members.remove')}
      </RemoveButton>
    </ListItem>
  );
}
