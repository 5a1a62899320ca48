import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import classes from './connection-facts.module.css';
import { trafficSeconds } from './use-tunnel-statistics.ts';

const height = 100;
/** The minimum scale of the graph in bytes per second, so that keep-alive traffic does not fill it. */
const leastScale = 10_000;

/** Received and sent bytes of the last minute, newest second at the right. The figures beside it say the same. */
export function TrafficGraph({ rates }: { rates: readonly TunnelStatistics[] }) {
  const { t } = useTranslation();
  const id = useId();
  const most = Math.max(leastScale, ...rates.flatMap(({ received, sent }) => [received, sent]));
  const line = (direction: keyof TunnelStatistics) =>
    rates
      .map((rate, index) => {
        const x = trafficSeconds - rates.length + index;
        const y = height - (rate[direction] / most) * (height - 4) - 2;
        return `${index === 0 ? 'M' : 'L'}${x} ${y.toFixed(1)}`;
      })
      .join(' ');
  return (
    <svg
      className={classes.graph}
      viewBox={`0 0 ${trafficSeconds - 1} ${height}`}
      preserveAspectRatio="none"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- Safari makes a group of it otherwise
      role="img"
      aria-labelledby={id}
    >
      <title id={id}>{t('connect.lastMinute')}</title>
      <path className={classes.sent} d={line('sent')} />
      <path className={classes.received} d={line('received')} />
    </svg>
  );
}
