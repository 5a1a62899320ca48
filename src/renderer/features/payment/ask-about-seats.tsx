import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import type { Order } from '#shared/entities.ts';
import { shortenedDays } from '#shared/plan/shortened-days.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { useUser } from '../session/use-user.ts';
import { OrderSummary } from './order-summary.tsx';
import { PayOrder } from './pay-order.tsx';
import { isSeatsKnown } from './payment-paths.ts';
import { SeatsWarning } from './seats-warning.tsx';
import { Link } from '../../ui/text/link.tsx';

/**
 * Prepares the payment of an order. Somebody who ordered without signing in, perhaps for another person's address, was
 * told nothing about the account in the store. So its owner is told here, before paying, what its members mean for the
 * plan.
 */
export function AskAboutSeats({ order }: { order: Order }) {
  const { t } = useTranslation();
  const { state } = useLocation();
  const { data: user } = useUser();
  const [isKnown, setIsKnown] = useState(isSeatsKnown(state));
  const { days, seats } = order;
  const members = user?.profile.members ?? 0;
  const bought = days === undefined || seats === undefined ? undefined : { days, seats };
  if (isKnown || !bought || shortenedDays(bought, members) === undefined) return <PayOrder order={order} />;
  return (
    <CenteredPanel>
      <PageHeading align="center">{t('pay.title')}</PageHeading>
      <OrderSummary order={order} />
      <SeatsWarning {...bought} members={members} />
      <Button size="md" onClick={() => setIsKnown(true)}>
        {t('store.submit')}
      </Button>
      <Button component={Link} to="/purchase" size="md" variant="default">
        {t('pay.otherPlan')}
      </Button>
    </CenteredPanel>
  );
}
