import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { serviceExpiryCheckSeconds } from '#shared/constants.ts';
import type { Service, User } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { formatDateTime } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/lists/empty.tsx';
import { Facts } from '../../ui/lists/facts.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { useServiceNow } from '../../ui/time/use-service-now.ts';
import { webAddress } from '#shared/host/web-address.ts';
import { useHost } from '../../platform/host-context.tsx';
import { useStoreAddress } from '../purchase/use-store-address.ts';
import { ShopButton } from '../purchase/shop-button.tsx';
import { isMember } from '../session/is-member.ts';
import { PlanTag } from '../account/plan-tag.tsx';
import { SeatsMeter } from '../account/seats-meter.tsx';
import { planState } from '#shared/plan/service-expiry.ts';
import classes from './service.module.css';

/** The plan, its end, and what it includes. */
export function ServiceDetails({ service, user }: { service: Service; user: User }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const state = planState(service, useServiceNow(serviceExpiryCheckSeconds));
  const child = isMember(user);
  if (service.expiredAt === null) {
    return (
      <Empty
        icon={<IconShieldCheck />}
        title={t('service.none')}
        text={t(child ? 'service.shared' : 'service.noneText')}
        action={<ShopButton />}
      />
    );
  }
  return (
    <>
      {child && <Message tone="info">{t('service.shared')}</Message>}
      <Card title={t('service.name')} aside={<PlanTag state={state} />}>
        <p className={classes.plan}>{service.service}</p>
        <Facts
          facts={[
            {
              name: t(state === 'expired' ? 'account.expiredSince' : 'account.expires'),
              value: formatDateTime(new Date(service.expiredAt), language),
            },
            { name: t('service.id'), value: service.serviceId },
          ]}
        />
        <SeatsMeter label={t('account.seats')} />
        {!child && (
          <div className={classes.actions}>
            <ShopButton />
            <ChangeButton email={user.email} />
          </div>
        )}
      </Card>
    </>
  );
}

/** A button to change the plan, at the operator's address. */
function ChangeButton({ email }: { email: string }) {
  const { t } = useTranslation();
  const { data: info } = useApi('basicInfo');
  const host = useHost();
  const storeAddress = useStoreAddress();
  if (!info || webAddress(info.links.change_service_url) === undefined) return null;
  const open = async () => {
    const address = await storeAddress(info.links, 'change_service_url', email);
    if (address !== undefined) await host.app.openExternal(address);
  };
  return (
    <Button onClick={() => void open()} variant="default">
      {t('service.change')}
    </Button>
  );
}
