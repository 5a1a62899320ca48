import { Button } from '@mantine/core';
import { IconApps, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { MiniApp } from '#shared/entities.ts';
import { useApiPages } from '../../api/use-api-pages.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Empty } from '../../ui/lists/empty.tsx';
import { LoadedList } from '../../api/loaded-list.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { useRemoval } from '../../api/use-removal.ts';
import { MiniAppItem } from './mini-app-item.tsx';
import { Link } from '../../ui/text/link.tsx';

export function ManageMiniAppsPage() {
  const { t } = useTranslation();
  const miniApps = useApiPages('groupApps');
  const remove = useApiMutation('deleteApp', { changes: ['groupApps', 'myApps'] });
  const { asked, ask, busy, confirm } = useRemoval(
    ({ id }: MiniApp) => remove.mutateAsync({ params: { id } }),
    'apps.deleted',
  );
  const create = (
    <Button component={Link} to="/apps/create" leftSection={<IconPlus size={18} aria-hidden />}>
      {t('apps.add')}
    </Button>
  );
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }} action={create}>
        <PageHeading lead={t('apps.lead')}>{t('section.apps')}</PageHeading>
      </PageTop>
      <LoadedList
        query={miniApps}
        label={t('section.apps')}
        empty={<Empty icon={<IconApps />} title={t('apps.empty')} text={t('apps.emptyText')} />}
      >
        {(miniApp) => <MiniAppItem key={miniApp.id} miniApp={miniApp} onDelete={() => ask(miniApp)} />}
      </LoadedList>
      {asked && (
        <ConfirmDialog
          title={t('apps.confirmTitle', { name: asked.name })}
          text={t('apps.confirmText')}
          confirm={t('apps.delete')}
          busy={busy}
          onConfirm={() => void confirm()}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
