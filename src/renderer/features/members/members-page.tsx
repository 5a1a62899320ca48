import { Button } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Member } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LoadedList } from '../../api/loaded-list.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { PageTop } from '../../ui/page-top.tsx';
import { useRemoval } from '../../api/use-removal.ts';
import { SeatsMeter } from '../account/seats-meter.tsx';
import { MemberItem } from './member-item.tsx';

export function MembersPage() {
  const { t } = useTranslation();
  const members = useApi('members');
  const remove = useApiMutation('removeMember', { changes: ['members', 'userInfo'] });
  const { asked, ask, busy, confirm } = useRemoval(
    ({ loginId }: Member) => remove.mutateAsync({ params: { loginId } }),
    'members.removed',
  );
  const add = (
    <Button component={Link} to="/members/add" leftSection={<IconUserPlus size={18} aria-hidden />}>
      {t('members.add')}
    </Button>
  );
  const isEmpty = members.data?.items.length === 0;
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }} action={!isEmpty && add}>
        <PageHeading lead={t('members.lead')}>{t('section.members')}</PageHeading>
      </PageTop>
      <SeatsMeter label={t('members.seats')} />
      <LoadedList
        query={members}
        label={t('section.members')}
        empty={
          <Empty icon={<IconUsers />} title={t('members.empty')} text={t('members.emptyText')} action={add} />
        }
      >
        {(member) => <MemberItem key={member.loginId} member={member} onRemove={() => ask(member)} />}
      </LoadedList>
      {asked && (
        <ConfirmDialog
          title={t('members.confirmTitle', { email: asked.loginId })}
          text={t('members.confirmText')}
          confirm={t('members.remove')}
          busy={busy}
          onConfirm={() => void confirm()}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
