import { IconWifiOff } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onAnswer } from '../../api/answered-calls.ts';
import { useApi } from '../../api/use-api.ts';
import { useLanguage } from '../../i18n/language-context.tsx';
import { useHost } from '../../platform/host-context.tsx';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import { answersCalls } from './answers-calls.ts';
import classes from './offline-notice.module.css';
import { isAnyLoaded } from './probe-frame.ts';
import { isTunnelOnline } from './tunnel-online.ts';
import { watchReachability } from './watch-reachability.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/**
 * Says so while no network can be reached. The live region always exists, because a region that appears with its text
 * may not be read.
 */
export function OfflineNotice() {
  const { truth } = useTunnelView();
  return (
    <output className={classes.place}>
      {!saysWhyItself(truth) && <WhileUnreachable hasTunnel={isTunnelOnline(truth)} />}
    </output>
  );
}

/**
 * What Waymaker itself blocks, or a captive portal, says nothing about the network; and what was found before no longer
 * counts afterwards.
 */
const saysWhyItself = (state: TunnelState | undefined) =>
  isBlocked(state) || (state?.state === 'disconnected' && state.reason === 'captive-portal');

function WhileUnreachable({ hasTunnel }: { hasTunnel: boolean }) {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const { data: info } = useApi('basicInfo');
  const [reachable, setReachable] = useState(true);
  const probe = useEffectEvent(
    async () => (await isAnyLoaded(info?.probePages ?? [])) || (await answersCalls(host, language)),
  );
  useEffect(() => watchReachability({ probe: () => probe(), onResult: setReachable }), []);
  useEffect(() => onAnswer(() => setReachable(true)), []);
  if (reachable || hasTunnel) return null;
  return (
    <span className={classes.notice}>
      <IconWifiOff size={18} aria-hidden className={classes.icon} />
      {t('offline.text')}
    </span>
  );
}
