import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { showError } from '../../ui/messages/toast.ts';
import { ConfirmPayment } from './confirm-payment.tsx';

/** The page to which the payment provider sends the user back (specification §2, /pay/confirming). */
export function ConfirmPage() {
  const [search] = useSearchParams();
  const orderId = search.get('order_id');
  return orderId ? <ConfirmPayment key={orderId} orderId={orderId} /> : <WithoutOrder />;
}

function WithoutOrder() {
  const { t } = useTranslation();
  useEffect(() => showError(t('confirm.error')), [t]);
  return <Navigate to="/quick-start" replace />;
}
