import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { useOneAtATime } from '../../ui/use-one-at-a-time.ts';
import { emptyMiniAppFields } from './mini-app-fields.ts';
import { MiniAppForm } from './mini-app-form.tsx';
import { useAfterMiniAppForm } from './use-after-mini-app-form.ts';

export function CreateMiniAppPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const next = useAfterMiniAppForm();
  const once = useOneAtATime();
  const create = useApiMutation('createApp', {
    changes: ['groupApps', 'myApps'],
    tells: { done: 'appForm.created', failed: 'error.appSave' },
  });
  return (
    <>
      <PageTop back={{ to: '/apps', title: 'section.apps' }}>
        <PageHeading>{t('appForm.createTitle')}</PageHeading>
      </PageTop>
      <MiniAppForm
        initial={emptyMiniAppFields}
        submitText={t('appForm.create')}
        busy={create.isPending}
        cancelTo={next}
        onSubmit={(draft) =>
          once((ended) =>
            create.mutate(
              { body: { id: '', ...draft } },
              { onSuccess: () => void navigate(next), onSettled: ended },
            ),
          )
        }
      />
    </>
  );
}
