import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { encryptionText, problemsByWeight, protocolName, transportNames } from '#shared/tunnel/look.ts';
import type { ActiveRouting, TunnelState } from '#shared/tunnel/state.ts';
import { formatBytes, formatDateTime, formatDuration, formatTime } from '../../../i18n/format.ts';
import { useLanguageTag } from '../../../i18n/language-context.tsx';
import { Facts, type Fact } from '../../../ui/lists/facts.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { useNow } from '../../../ui/time/use-now.ts';
import classes from './connection-facts.module.css';
import { CopiedValue } from './copied-value.tsx';
import { NetworkList } from './network-list.tsx';
import { TrafficGraph } from './traffic-graph.tsx';
import { TunnelWindowButton } from './tunnel-window-button.tsx';
import { useTunnelStatistics } from './use-tunnel-statistics.ts';
import { useWorldAddress } from './use-world-address.ts';

interface ConnectionFactsProps {
  state: Extract<TunnelState, { state: 'connected' }>;
  isUnfolded: boolean;
  onUnfold: (isUnfolded: boolean) => void;
}

/** Facts about a tunnel that is up: those that change are shown as far as there is room, the others on demand. */
export function ConnectionFacts({ state, isUnfolded, onUnfold }: ConnectionFactsProps) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const now = useNow(1);
  const statistics = useTunnelStatistics();
  const worldAddress = useWorldAddress(state);
  const rate = statistics?.rates.at(-1);
  const total = (direction: 'received' | 'sent') =>
    statistics ? formatBytes(statistics.total[direction]) : '–';
  const perSecond = (direction: 'received' | 'sent') => (rate ? formatBytes(rate[direction], 'second') : '–');
  const { ipv4, ipv6 } = state.addresses;
  const proxy = state.routing.mode === 'pac' ? state.routing.proxy : undefined;
  const address = (version: 4 | 6, value: string | undefined) =>
    value === undefined
      ? []
      : [{ name: `${t('connect.address')} (IPv${version})`, value: <CopiedValue value={value} /> }];
  // What is wrong has the room: the window and its buttons must fit without scrolling.
  const problems = problemsByWeight(state).length;
  const world =
    worldAddress === undefined
      ? []
      : [{ name: t('connect.worldAddress'), value: <CopiedValue value={worldAddress} /> }];
  const figures = [
    { name: t('connect.time'), value: formatDuration((now - state.since) / 1000, language) },
    { name: t('connect.received'), value: total('received') },
    { name: t('connect.sent'), value: total('sent') },
  ];
  const isWorldShown = problems === 0 && world.length > 0;
  const tunnelWindow = proxy && !state.ownedByOther && <TunnelWindowButton />;
  return (
    <div className={classes.facts} data-even={isWorldShown || undefined}>
      {problems < 2 && <Facts layout="grid" facts={[...(isWorldShown ? world : []), ...figures]} />}
      {problems === 0 && tunnelWindow}
      <Fold summary={t('connect.details')} isUnfolded={isUnfolded} onUnfold={onUnfold}>
        {problems > 0 && tunnelWindow && <div className={classes.window}>{tunnelWindow}</div>}
        {statistics && <TrafficGraph rates={statistics.rates} />}
        <Facts
          facts={[
            ...(problems > 1 ? figures : []),
            ...(isWorldShown ? [] : world),
            { name: t('connect.receivedPerSecond'), value: perSecond('received') },
            { name: t('connect.sentPerSecond'), value: perSecond('sent') },
            ...address(4, ipv4),
            ...address(6, ipv6),
            { name: t('settings.protocol'), value: protocolName },
            { name: t('connect.transport'), value: transportNames[state.transport] },
            ...(state.encryption
              ? [{ name: t('connect.encryption'), value: encryptionText(state.encryption) }]
              : []),
            ...(state.terms?.endsAt === undefined || state.terms.endsAt <= now
              ? []
              : [{ name: t('connect.sessionEnds'), value: endOf(state.terms.endsAt, now, language) }]),
            ...(proxy
              ? [
                  { name: t('connect.proxy'), value: <CopiedValue value={proxy.address} /> },
                  { name: t('connect.proxyConfiguration'), value: <CopiedValue value={proxy.pacUrl} /> },
                ]
              : []),
            ...(state.routing.mode === 'split' ? networkFacts(state.routing, t) : []),
          ]}
        />
        {proxy && <p className={classes.hint}>{t('connect.proxyHint')}</p>}
      </Fold>
    </div>
  );
}

/** With the date, if it is not within a day. */
const endOf = (at: number, now: number, language: string) =>
  at - now < 24 * 3_600_000 ? formatTime(new Date(at), language) : formatDateTime(new Date(at), language);

/** Last, because a server can name many. */
function networkFacts(
  { networks, prefixes, exceptions }: Extract<ActiveRouting, { mode: 'split' }>,
  t: TFunction,
): Fact[] {
  return [
    {
      name: t('connect.networks'),
      value: prefixes ? <NetworkList {...{ prefixes, networks }} /> : String(networks),
    },
    ...(exceptions ? [{ name: t('connect.networkExceptions'), value: <NetworkList {...exceptions} /> }] : []),
  ];
}
