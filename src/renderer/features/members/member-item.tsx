import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Member } from '#shared/entities.ts';
import { ListItem } from '../../ui/list-item.tsx';

export function MemberItem({ member, onRemove }: { member: Member; onRemove: () => void }) {
  const { t } = useTranslation();
  const { loginId: email } = member;
  return (
    <ListItem icon={email.charAt(0).toUpperCase()} title={email}>
      <Button
        size="sm"
        variant="default"
        color="red"
        aria-label={t('members.removeNamed', { email })}
        onClick={onRemove}
      >
        {t('members.remove')}
      </Button>
    </ListItem>
  );
}
