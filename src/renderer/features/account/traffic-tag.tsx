import { useTranslation } from 'react-i18next';
import { serviceExpiryCheckSeconds } from '#shared/constants.ts';
import type { TrafficStats } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { Tag } from '../../ui/text/tag.tsx';
import { useServiceNow } from '../../ui/time/use-service-now.ts';
import { isOnTrial } from '#shared/plan/usable-group.ts';
import { isServiceExpired } from '#shared/plan/service-expiry.ts';
import { isTrafficEnough } from '#shared/plan/trial-traffic.ts';

/** Whether traffic is limited and, on a trial, whether enough of it is left. */
export function TrafficTag({ stats }: { stats: TrafficStats }) {
  const { t } = useTranslation();
  // A rated volume of 0 means unlimited (specification §9).
  return stats.rated === 0 ? (
    <Tag tone="plain">{t('account.trafficUnlimited')}</Tag>
  ) : (
    <TrialTrafficTag stats={stats} />
  );
}

function TrialTrafficTag({ stats }: { stats: TrafficStats }) {
  const { t } = useTranslation();
  const now = useServiceNow(serviceExpiryCheckSeconds);
  const { data: service } = useApi('myService');
  const withoutPlan = service !== undefined && isServiceExpired(service, now);
  const { data: groups } = useApi('serverGroups', { enabled: withoutPlan });
  if (!withoutPlan || !groups?.items.some((group) => isOnTrial(group, now))) return null;
  return isTrafficEnough(stats) ? (
    <Tag tone="good">{t('account.trafficEnough')}</Tag>
  ) : (
    <Tag tone="warn">{t('account.trafficLow')}</Tag>
  );
}
