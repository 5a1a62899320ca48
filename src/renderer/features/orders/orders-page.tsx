import { Button } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/use-api.ts';
import { Empty } from '../../ui/lists/empty.tsx';
import { LoadedList } from '../../api/loaded-list.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';
import { OrderItem } from './order-item.tsx';
import { Link } from '../../ui/text/link.tsx';

export function OrdersPage() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const orders = useApi('orders');
  const mayPay = user !== undefined && !isMember(user);
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }}>
        <PageHeading lead={t('orders.lead')}>{t('section.orders')}</PageHeading>
      </PageTop>
      <LoadedList
        query={orders}
        label={t('section.orders')}
        empty={
          <Empty
            icon={<IconReceipt />}
            title={t('orders.empty')}
            text={t('orders.emptyText')}
            action={
              mayPay && (
                <Button component={Link} to="/purchase">
                  {t('service.choose')}
                </Button>
              )
            }
          />
        }
      >
        {(order) => <OrderItem key={order.id} order={order} mayPay={mayPay} />}
      </LoadedList>
    </>
  );
}
