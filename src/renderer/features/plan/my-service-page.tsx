import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { ListPlaceholder } from '../../ui/lists/list-placeholder.tsx';
import { useUser } from '../session/use-user.ts';
import { ServiceDetails } from './service-details.tsx';

export function MyServicePage() {
  const { t } = useTranslation();
  const { data: service, error, refetch } = useApi('myService');
  const user = useUser();
  const failure = (service ? null : error) ?? (user.data ? null : user.error);
  const retry = () => {
    if (!service) void refetch();
    if (!user.data) void user.refetch();
  };
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }}>
        <PageHeading>{t('section.service')}</PageHeading>
      </PageTop>
      {service && user.data ? (
        <ServiceDetails service={service} user={user.data} />
      ) : failure ? (
        <LoadFailure text={errorText(failure, t, 'error.service')} onRetry={retry} />
      ) : (
        <ListPlaceholder rows={1} />
      )}
    </>
  );
}
