import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Order } from '#shared/entities.ts';
import { errorText } from '../../api/api-failure.ts';
import { queryKeyOf } from '../../api/query-key.ts';
import { useApi } from '../../api/use-api.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { showError } from '../../ui/messages/toast.ts';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import { useLeaving } from '../purchase/use-leaving.ts';
import { confirmPath } from './payment-paths.ts';
import { OrderSummary } from './order-summary.tsx';
import { payAddress } from './pay-address.ts';
import { Link } from '../../ui/text/link.tsx';

/** Opens the payment of an unpaid order, and sends the browser there. */
export function PayOrder({ order }: { order: Order }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: info } = useApi('basicInfo');
  const payment = useApiMutation('createPayment');
  const address =
    payment.data && info
      ? payAddress(payment.data.extra.pay_url, [location.origin, info.links.pay_url, info.links.purchase_url])
      : undefined;
  const { outside, refused, leave } = useLeaving(address);
  const unsafe = payment.data !== undefined && info !== undefined && address === undefined;

  const create = () =>
    payment.mutate(
      { params: { id: order.id }, body: { payMethod: 'wordgate' } },
      {
        onError(error) {
          showError(errorText(error, t));
          // It may be refused because the order has been paid since: then its page leads on.
          void queries.invalidateQueries({
            queryKey: queryKeyOf('order', { params: { orderId: order.id } }),
          });
        },
      },
    );
  useOnArrival(create);

  const failed = payment.isError || unsafe || refused;
  const lead = address === undefined ? 'pay.preparing' : outside ? 'pay.outside' : 'pay.opening';
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={failed ? undefined : t(lead)}>
        {t('pay.title')}
      </PageHeading>
      <OrderSummary order={order} />
      {payment.isError && <LoadFailure text={t('pay.failed')} onRetry={create} />}
      {(unsafe || refused) && <Message tone="bad" title={t('pay.refused')} />}
      {failed && (
        <Button component={Link} to="/dashboard" size="md" variant="default">
          {t('confirm.back')}
        </Button>
      )}
      {address !== undefined && (
        <>
          <Button size="md" onClick={leave}>
            {t('pay.open')}
          </Button>
          {outside && (
            <Button component={Link} to={confirmPath(order.id)} size="md" variant="default">
              {t('pay.done')}
            </Button>
          )}
        </>
      )}
    </CenteredPanel>
  );
}
