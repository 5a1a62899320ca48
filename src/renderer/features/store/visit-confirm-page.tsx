import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { RoundIcon } from '../../ui/pictures/round-icon.tsx';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import { Confirmation } from '../payment/confirmation.tsx';
import { confirmPath } from '../payment/payment-paths.ts';
import { readVisit } from './stored-visit.ts';
import { Link } from '../../ui/text/link.tsx';

/**
 * The page to which the provider sends back users who came from an app. Another tab does not have the visit, and asks
 * to sign in.
 */
export function VisitConfirmPage() {
  const [search] = useSearchParams();
  const orderId = search.get('order_id') ?? '';
  const [visit] = useState(readVisit);
  if (orderId === '') return <Navigate to="/store/purchase" replace />;
  if (!visit) return <Navigate to={confirmPath(orderId)} replace />;
  return <ConfirmVisitOrder key={orderId} body={{ visit: visit.visit, order_id: orderId }} />;
}

function ConfirmVisitOrder({ body }: { body: { visit: string; order_id: string } }) {
  const { t } = useTranslation();
  const confirm = useApiMutation('confirmVisitOrder');
  const [failure, setFailure] = useState<Error>();
  const ask = () => {
    if (!confirm.isPending) confirm.mutate({ body }, { onError: setFailure });
  };
  useOnArrival(ask);

  if (confirm.isSuccess) {
    return (
      <CenteredPanel>
        <RoundIcon>
          <IconCheck />
        </RoundIcon>
        <PageHeading align="center" lead={t('store.paidText')}>
          {t('confirm.success')}
        </PageHeading>
      </CenteredPanel>
    );
  }
  return (
    <Confirmation failure={failure} isAsking={confirm.isPending} onAsk={ask}>
      {(notPaid) => (
        <Button
          component={Link}
          to="/store/purchase"
          size="md"
          variant={notPaid === 'open' ? 'default' : 'filled'}
        >
          {t('store.back')}
        </Button>
      )}
    </Confirmation>
  );
}
