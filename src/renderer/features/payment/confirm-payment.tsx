import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { showSuccess } from '../../ui/messages/toast.ts';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import { Confirmation } from './confirmation.tsx';
import { payPath } from './payment-paths.ts';
import { PaymentSuccess } from './payment-success.tsx';
import { Link } from '../../ui/text/link.tsx';

/** Asks the service whether an order is paid, and shows the result. */
export function ConfirmPayment({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const confirm = useApiMutation('confirmPayment', {
    changes: ['userInfo', 'myService', 'serverGroups', 'trafficStats', 'orders', 'order'],
  });
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
  return (
    <Confirmation failure={failure} isAsking={confirm.isPending} onAsk={ask}>
      {(notPaid) => (
        <>
          {notPaid !== 'unknown' && (
            <Button
              component={Link}
              to={payPath(orderId)}
              size="md"
              variant={notPaid === 'declined' ? 'filled' : 'default'}
            >
              {t('confirm.payAgain')}
            </Button>
          )}
          <Button
            component={Link}
            to="/dashboard"
            size="md"
            variant={notPaid === 'unknown' ? 'filled' : 'subtle'}
          >
            {t('confirm.back')}
          </Button>
        </>
      )}
    </Confirmation>
  );
}
