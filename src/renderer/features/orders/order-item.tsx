import { Button } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Order } from '#shared/entities.ts';
import { formatUsd } from '#shared/usd.ts';
import { formatDate } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { ListItem } from '../../ui/lists/list-item.tsx';
import { Tag } from '../../ui/text/tag.tsx';
import { payPath } from '../payment/payment-paths.ts';
import classes from './orders.module.css';
import { Link } from '../../ui/text/link.tsx';

/** `mayPay`: whether the user is allowed to buy. */
export function OrderItem({ order, mayPay }: { order: Order; mayPay: boolean }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const { title, quantity } = order;
  return (
    <ListItem
      icon={<IconReceipt size={22} stroke={1.7} />}
      title={
        <>
          {title}
          <Tag tone={order.isPaid ? 'good' : 'warn'}>{t(order.isPaid ? 'orders.paid' : 'orders.unpaid')}</Tag>
        </>
      }
      detail={
        <>
          {t('orders.price', { quantity, price: formatUsd(order.price, language) })}
          {' · '}
          {formatDate(new Date(order.createdAt), language)}
        </>
      }
    >
      <span className={classes.total}>{formatUsd(order.totalAmount, language)}</span>
      {mayPay && !order.isPaid && (
        <Button
          component={Link}
          to={payPath(order.id)}
          size="sm"
          aria-label={t('orders.payNamed', { title })}
        >
          {t('orders.pay')}
        </Button>
      )}
    </ListItem>
  );
}
