import { Button } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Member } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { useApiPages } from '../../api/use-api-pages.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Empty } from '../../ui/lists/empty.tsx';
import { LoadedList } from '../../api/loaded-list.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { useRemoval } from '../../api/use-removal.ts';
import { SeatsMeter } from '../account/seats-meter.tsx';
import { MemberItem } from './member-item.tsx';
import { Link } from '../../ui/text/link.tsx';
import { memberAdded } from './member-added.ts';

export function MembersPage() {
  const { t } = useTranslation();
  const members = useApiPages('members');
  const remove = useApiMutation('removeMember', { changes: ['members', 'userInfo'] });
  const invite = useApiMutation('addMember', memberAdded);
  const { asked, ask, busy, confirm } = useRemoval(
    ({ loginId }: Member) => remove.mutateAsync({ params: { loginId } }),
    ({ invitation }) => (invitation ? 'members.withdrawn' : 'members.removed'),
  );
  const inviteAgain = ({ loginId, loginType }: Member) => invite.mutate({ body: { loginId, loginType } });
  const { data: service } = useApi('myService');
  // A trial has no seats.
  const needsPlan = service?.expiredAt === null;
  const add = needsPlan ? (
    <Button component={Link} to="/purchase">
      {t('service.choose')}
    </Button>
  ) : (
    <Button component={Link} to="/members/add" leftSection={<IconUserPlus size={18} aria-hidden />}>
      {t('members.add')}
    </Button>
  );
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }} action={add}>
        <PageHeading lead={t('members.lead')}>{t('section.members')}</PageHeading>
      </PageTop>
      <SeatsMeter label={t('members.seats')} />
      <LoadedList
        query={members}
        label={t('section.members')}
        empty={
          <Empty
            icon={<IconUsers />}
            title={t('members.empty')}
            text={t(needsPlan ? 'members.needsPlan' : 'members.emptyText')}
          />
        }
      >
        {(member) => (
          <MemberItem
            key={member.loginId}
            member={member}
            busy={invite.isPending && invite.variables.body?.loginId === member.loginId}
            onRemove={() => ask(member)}
            onInvite={() => inviteAgain(member)}
          />
        )}
      </LoadedList>
      {asked && (
        <ConfirmDialog
          title={t(asked.invitation ? 'members.withdrawTitle' : 'members.confirmTitle', {
            email: asked.loginId,
          })}
          text={t(asked.invitation ? 'members.withdrawText' : 'members.confirmText')}
          confirm={t(asked.invitation ? 'members.withdraw' : 'members.remove')}
          busy={busy}
          onConfirm={() => void confirm()}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
