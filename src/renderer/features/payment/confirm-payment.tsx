import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { Message } from '../../ui/message.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { showSuccess } from '../../ui/toast.ts';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import { payPath } from './payment-paths.ts';
import { PaymentSuccess } from './payment-success.tsx';

/** Asks the service whether an order is paid, and tells. */
export function ConfirmPayment({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const confirm = useApiMutation('confirmPayment', {
    changes: ['userInfo', 'myService', 'serverGroups', 'trafficStats', 'orders', 'order'],
  });
  /** Stays while it is asked again, so that the page does not change under the user's hands. */
  const [failure, setFailure] = useState<Error>();
  const ask = () => {
    if (confirm.isPending) return;
    confirm.mutate(
      { body: { order_id: orderId } },
      { onSuccess: () => showSuccess(t('confirm.success')), onError: setFailure },
    );
  };
  useOnArrival(ask);

  if (confirm.isSuccess) return <PaymentSuccess />;
  if (!failure) {
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
      {confirm.isPending ? (
        <Placeholder lines={1} />
      ) : (
        <Message tone="bad" title={errorText(failure, t, 'confirm.error')} />
      )}
      <Button size="md" onClick={ask}>
        {t('confirm.retry')}
      </Button>
      <Button component={Link} to={payPath(orderId)} size="md" variant="default">
        {t('confirm.payAgain')}
      </Button>
      <Button component={Link} to="/dashboard" size="md" variant="subtle">
        {t('confirm.back')}
      </Button>
    </CenteredPanel>
  );
}
