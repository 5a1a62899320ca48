import { useTranslation } from 'react-i18next';
import type { TrafficStats } from '#shared/entities.ts';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { formatBytes } from '../../i18n/format.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/lists/facts.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { Meter } from '../../ui/pictures/meter.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';
import { TrafficTag } from './traffic-tag.tsx';

const refreshSeconds = 60;

export function TrafficCard() {
  const { t } = useTranslation();
  const { data: stats, error, refetch } = useApi('trafficStats', { refetchSeconds: refreshSeconds });
  return (
    <Card title={t('account.traffic')} aside={stats && <TrafficTag stats={stats} />}>
      {stats ? (
        <Traffic stats={stats} />
      ) : error ? (
        <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />
      ) : (
        <Placeholder lines={3} />
      )}
    </Card>
  );
}

function Traffic({ stats }: { stats: TrafficStats }) {
  const { t } = useTranslation();
  const used = stats.in + stats.out;
  const usedText = formatBytes(used);
  const directions = [
    { name: t('account.received'), value: formatBytes(stats.in) },
    { name: t('account.sent'), value: formatBytes(stats.out) },
  ];
  // A rated volume of 0 means unlimited (specification §9).
  if (stats.rated === 0) {
    return <Facts facts={[{ name: t('account.trafficTotal'), value: usedText }, ...directions]} />;
  }
  return (
    <>
      <Meter
        label={t('account.trafficTotal')}
        used={used}
        total={stats.rated}
        text={t('account.trafficUsed', { used: usedText, rated: formatBytes(stats.rated) })}
      />
      <Facts facts={directions} />
    </>
  );
}
