import { useTranslation } from 'react-i18next';
import type { Order } from '#shared/entities.ts';
import { formatUsd } from '#shared/usd.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Facts } from '../../ui/lists/facts.tsx';

/** What is bought, and its price. */
export function OrderSummary({ order }: { order: Order }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  return (
    <Facts
      facts={[
        { name: t('pay.item'), value: order.title },
        { name: t('pay.price'), value: formatUsd(order.price, language) },
        { name: t('pay.quantity'), value: order.quantity },
        { name: t('pay.total'), value: formatUsd(order.totalAmount, language) },
      ]}
    />
  );
}
