import { Button } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { Empty } from '../../ui/empty.tsx';
import { List } from '../../ui/list.tsx';
import { ListPlaceholder } from '../../ui/list-placeholder.tsx';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { PageTop } from '../../ui/page-top.tsx';
import { isMember } from '../account/is-member.ts';
import { useUser } from '../account/use-user.ts';
import { OrderItem } from './order-item.tsx';

export function OrdersPage() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const { data: orders, error, refetch } = useApi('orders');
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }}>
        <PageHeading lead={t('orders.lead')}>{t('section.orders')}</PageHeading>
      </PageTop>
      {orders ? (
        orders.items.length === 0 ? (
          <Empty
            icon={<IconReceipt />}
            title={t('orders.empty')}
            text={t('orders.emptyText')}
            action={
              user &&
              !isMember(user) && (
                <Button component={Link} to="/purchase" mt={8}>
                  {t('service.choose')}
                </Button>
              )
            }
          />
        ) : (
          <List label={t('section.orders')}>
            {orders.items.map((order) => (
              <OrderItem key={order.id} order={order} />
            ))}
          </List>
        )
      ) : error ? (
        <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />
      ) : (
        <ListPlaceholder />
      )}
    </>
  );
}
