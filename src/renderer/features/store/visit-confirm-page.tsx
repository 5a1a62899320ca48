import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useSearchParams } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { Message } from '../../ui/message.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { RoundIcon } from '../../ui/round-icon.tsx';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import { confirmPath } from '../payment/payment-paths.ts';
import { readVisit } from './stored-visit.ts';

/** Where who came from an app is sent back to by the provider. Another tab knows nothing of that: it asks to sign in. */
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
  const ask = () => {
    if (!confirm.isPending) confirm.mutate({ body });
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
  if (!confirm.isError) {
    return (
      <CenteredPanel>
        <PageHeading align="center" lead={t('confirm.wait')}>
          {t('confirm.loading')}
        </PageHeading>
        <Placeholder lines={2} />
      </CenteredPanel>
    );
  }
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={t('confirm.failedText')}>
        {t('confirm.failed')}
      </PageHeading>
      <Message tone="bad" title={errorText(confirm.error, t, 'confirm.error')} />
      <Button size="md" onClick={ask}>
        {t('confirm.retry')}
      </Button>
      <Button component={Link} to="/store/purchase" size="md" variant="default">
        {t('store.back')}
      </Button>
    </CenteredPanel>
  );
}
