import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { apiCode } from '#shared/api/result.ts';
import { errorText, refusalCode } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';
import { AskAboutSeats } from './ask-about-seats.tsx';

/** Prepares the payment of an order (specification §4), which must exist and be unpaid. */
export function PayOrderPage() {
  const [search] = useSearchParams();
  const orderId = search.get('orderId');
  return orderId ? <LoadOrder key={orderId} orderId={orderId} /> : <Navigate to="/dashboard" replace />;
}

function LoadOrder({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const order = useApi('order', { params: { orderId }, handles: [apiCode.notFound] });
  // An earlier answer is not used, because the order may have been paid since.
  const loaded = order.isFetchedAfterMount ? order.data : undefined;
  if (loaded && !loaded.isPaid) return <AskAboutSeats order={loaded} />;
  if (loaded || (order.error && refusalCode(order.error) === apiCode.notFound))
    return <Navigate to="/dashboard" replace />;
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={order.error ? undefined : t('pay.preparing')}>
        {t('pay.title')}
      </PageHeading>
      {order.error ? (
        <LoadFailure text={errorText(order.error, t)} onRetry={() => void order.refetch()} />
      ) : (
        <Placeholder lines={4} />
      )}
    </CenteredPanel>
  );
}
