import { IconShoppingBag } from '@tabler/icons-react';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiCode } from '#shared/api/result.ts';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { Empty } from '../../ui/lists/empty.tsx';
import { ListPlaceholder } from '../../ui/lists/list-placeholder.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PayerOnly } from '../account/payer-only.tsx';
import { BuyerChoice } from './buyer-choice.tsx';
import { PurchaseForm } from './purchase-form.tsx';
import classes from './store.module.css';
import type { HandOver } from './take-hand-over.ts';
import { useBuyer, type BuyerState } from './use-buyer.ts';
import { Link } from '../../ui/text/link.tsx';

interface StorePageProps {
  page: 'purchase' | 'change' | 'quickStart';
  handOver: HandOver;
}

/** What can be bought, for everybody: signed in, from an app, or only with an email address. */
export function StorePage({ page, handOver }: StorePageProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const { buyer, visit, endVisit } = useBuyer(handOver, chosen);
  const offers = useApi('offers', { handles: [apiCode.unavailable] });
  if (buyer.state === 'member') return <PayerOnly text="purchase.childText" />;
  return (
    <div className={classes.page}>
      <PageHeading lead={t(`store.${page}Lead`)}>{t(`store.${page}Title`)}</PageHeading>
      {page === 'quickStart' && (
        <ol className={classes.steps}>
          {stepsOf(buyer).map((step) => (
            <li key={step}>{t(step)}</li>
          ))}
        </ol>
      )}
      {offers.data?.isSandbox && <Message tone="info">{t('store.sandbox')}</Message>}
      {visit.state === 'failed' && !visit.retry && <Message tone="warn" title={errorText(visit.error, t)} />}
      {content()}
    </div>
  );

  function content() {
    if (buyer.state === 'failed') {
      return <LoadFailure text={errorText(buyer.error, t)} onRetry={buyer.retry} />;
    }
    if (offers.error && !offers.data) {
      return <LoadFailure text={errorText(offers.error, t)} onRetry={() => void offers.refetch()} />;
    }
    if (buyer.state === 'loading' || !offers.data) return <ListPlaceholder />;
    if (offers.data.items.length === 0) {
      return (
        <Empty
          icon={<IconShoppingBag />}
          title={t('store.empty')}
          text={t('store.emptyText')}
          action={
            <Button component={Link} to="/x" variant="default">
              {t('redeem.title')}
            </Button>
          }
        />
      );
    }
    if (buyer.state === 'choice') {
      const { visit: came, user } = buyer;
      return <BuyerChoice {...{ came, user }} onVisit={() => setChosen(came.email)} onAccount={endVisit} />;
    }
    if (buyer.state !== 'known') return null;
    return <PurchaseForm offers={offers.data.items} buyer={buyer.buyer} onOtherBuyer={endVisit} />;
  }
}

/** Users who are signed in or came from an app have already typed an address. */
function stepsOf(buyer: BuyerState): readonly TextKey[] {
  if (buyer.state !== 'known') return ['store.stepChoose', 'store.stepPay', 'store.step3'];
  switch (buyer.buyer.kind) {
    case 'guest':
      return ['store.step1', 'store.step2', 'store.step3'];
    case 'account':
      return ['store.stepChoose', 'store.stepPay', 'store.step3'];
    case 'visit':
      return ['store.stepChoose', 'store.stepPay', 'store.stepBack'];
    default:
      return buyer.buyer satisfies never;
  }
}
