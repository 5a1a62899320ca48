import { useTranslation } from 'react-i18next';
import { serviceExpiryCheckSeconds } from '#shared/constants.ts';
import type { Service } from '#shared/entities.ts';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { formatDate } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/lists/facts.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';
import { useServiceNow } from '../../ui/time/use-service-now.ts';
import { ShopButton } from '../purchase/shop-button.tsx';
import classes from './account.module.css';
import { PlanTag } from './plan-tag.tsx';
import { SeatsMeter } from './seats-meter.tsx';
import { planState } from '#shared/plan/service-expiry.ts';

export function PlanCard() {
  const { t } = useTranslation();
  const { data: service, error, refetch } = useApi('myService');
  const now = useServiceNow(serviceExpiryCheckSeconds);
  const state = service && planState(service, now);
  return (
    <Card title={t('account.plan')} aside={state && <PlanTag state={state} />}>
      {service ? (
        <Plan service={service} expired={state === 'expired'} />
      ) : error ? (
        <LoadFailure text={errorText(error, t, 'error.service')} onRetry={() => void refetch()} />
      ) : (
        <Placeholder lines={3} />
      )}
    </Card>
  );
}

function Plan({ service, expired }: { service: Service; expired: boolean }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  if (service.expiredAt === null) {
    return (
      <>
        <p className={classes.plan}>{t('account.noPlan')}</p>
        <ShopButton />
      </>
    );
  }
  return (
    <>
      <p className={classes.plan}>{service.service}</p>
      <Facts
        facts={[
          {
            name: t(expired ? 'account.expiredSince' : 'account.expires'),
            value: formatDate(new Date(service.expiredAt), language),
          },
        ]}
      />
      <SeatsMeter label={t('account.seats')} />
      {expired && <ShopButton />}
    </>
  );
}
