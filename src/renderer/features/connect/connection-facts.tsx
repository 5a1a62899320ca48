import { useTranslation } from 'react-i18next';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { formatBytes, formatDuration } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Facts } from '../../ui/facts.tsx';
import { useNow } from '../../ui/use-now.ts';
import classes from './status-panel.module.css';
import { useTunnelStatistics } from './use-tunnel-statistics.ts';

const transportNames = { dtls: 'DTLS (UDP)', tls: 'TLS (TCP)' };

/** What is known of a tunnel that is up. */
export function ConnectionFacts({ state }: { state: Extract<TunnelState, { state: 'connected' }> }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const now = useNow(1);
  const statistics = useTunnelStatistics();
  const traffic = (direction: 'received' | 'sent') =>
    statistics
      ? `${formatBytes(statistics.total[direction], language)} · ${formatBytes(statistics.rate[direction], language, 'second')}`
      : '–';
  const { ipv4, ipv6 } = state.addresses;
  const proxy = state.routing.mode === 'pac' ? state.routing.proxy : undefined;
  return (
    <>
      <Facts
        facts={[
          { name: t('connect.received'), value: traffic('received') },
          { name: t('connect.sent'), value: traffic('sent') },
          { name: t('connect.time'), value: formatDuration((now - state.since) / 1000, language) },
          ...[ipv4, ipv6].flatMap((address, index) =>
            address === undefined
              ? []
              : [{ name: `${t('connect.address')} (IPv${index === 0 ? 4 : 6})`, value: address }],
          ),
          ...(state.routing.mode === 'split'
            ? [{ name: t('connect.networks'), value: String(state.routing.networks) }]
            : []),
          { name: t('connect.transport'), value: transportNames[state.transport] },
          ...(proxy
            ? [
                { name: t('connect.proxy'), value: proxy.address },
                { name: t('connect.proxyConfiguration'), value: proxy.pacUrl },
              ]
            : []),
        ]}
      />
      {proxy && <p className={classes.detail}>{t('connect.proxyHint')}</p>}
    </>
  );
}
