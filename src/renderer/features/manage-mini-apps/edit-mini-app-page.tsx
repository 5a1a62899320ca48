import { Button } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import { apiCode } from '#shared/api/result.ts';
import { ApiCallFailed, errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { Empty } from '../../ui/lists/empty.tsx';
import { ListPlaceholder } from '../../ui/lists/list-placeholder.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { fieldsOf } from './mini-app-fields.ts';
import { MiniAppForm } from './mini-app-form.tsx';
import { useAfterMiniAppForm } from './use-after-mini-app-form.ts';
import { Link } from '../../ui/text/link.tsx';

export function EditMiniAppPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const next = useAfterMiniAppForm();
  const { id = '' } = useParams();
  const params = { id };
  const { data, error, isFetchedAfterMount, refetch } = useApi('groupApp', {
    params,
    handles: [apiCode.notFound],
  });
  const edit = useApiMutation('editApp', {
    changes: ['groupApp', 'groupApps', 'myApps'],
    tells: { done: 'appForm.updated', failed: 'error.appSave' },
  });
  // An answer from an earlier visit is not used: saving it would undo changes made since.
  const miniApp = isFetchedAfterMount ? data : undefined;
  return (
    <>
      <PageTop back={{ to: '/apps', title: 'section.apps' }}>
        <PageHeading>{t('appForm.editTitle')}</PageHeading>
      </PageTop>
      {miniApp ? (
        <MiniAppForm
          key={id}
          initial={fieldsOf(miniApp)}
          submitText={t('appForm.save')}
          busy={edit.isPending}
          cancelTo={next}
          onSubmit={(draft) =>
            edit.mutate({ params, body: { id, ...draft } }, { onSuccess: () => void navigate(next) })
          }
        />
      ) : error && isNotFound(error) ? (
        <Empty
          icon={<IconApps />}
          title={t('appForm.unknown')}
          text={t('appForm.unknownText')}
          action={
            <Button component={Link} to={next} variant="default">
              {t(next === '/apps' ? 'appForm.back' : 'notice.back')}
            </Button>
          }
        />
      ) : error ? (
        <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />
      ) : (
        <ListPlaceholder />
      )}
    </>
  );
}

function isNotFound(error: Error): boolean {
  return (
    error instanceof ApiCallFailed &&
    error.failure.kind === 'service' &&
    error.failure.code === apiCode.notFound
  );
}
