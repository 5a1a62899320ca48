import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { serviceExpiryCheckSeconds } from '#shared/constants.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import { useApi } from '../../api/use-api.ts';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { useServiceNow } from '../../ui/time/use-service-now.ts';
import { GatewayCertificate } from '../gateway-form/gateway-certificate.tsx';
import { GatewayGroup } from '../gateway-form/gateway-group.tsx';
import { ClockNotice } from '../session/clock-notice.tsx';
import { MemorySessionNotice } from '../session/memory-session-notice.tsx';
import { DamagedSettingsNotice } from '../settings/damaged-settings-notice.tsx';
import { ProtectionLine } from '../settings/protection-line.tsx';
import classes from './connect.module.css';
import { ServerButton } from './server-button.tsx';
import { useLatencies } from '../server-chooser/use-latencies.ts';
import { useTunnel, useTunnelView } from '../tunnel/tunnel-context.tsx';
import { shownState } from '../tunnel/tunnel-store.ts';
import { Welcome } from './welcome.tsx';
import { StatusPanel } from './status/status-panel.tsx';
import { isServiceExpired } from '#shared/plan/service-expiry.ts';
import { isGroupUsable, listServers, serverAt, type ListedServer } from '#shared/plan/usable-group.ts';
import { leadsElsewhere } from './leads-elsewhere.ts';
import { useServerChoice } from './use-server-choice.ts';

export function ConnectPage() {
  const { t } = useTranslation();
  const tunnel = useTunnel();
  const view = useTunnelView();
  const { truth } = view;
  const groups = useApi('serverGroups');
  const { data: service } = useApi('myService');
  const items = groups.data?.items ?? [];
  // A trial ends to the second, and its countdown must not continue beside servers that are still offered.
  const now = useServiceNow(items.some(({ isTrial }) => isTrial) ? 1 : serviceExpiryCheckSeconds);
  const usable = items.filter((group) => isGroupUsable(group, service, now));
  const measurement = useLatencies();
  const usableServers = listServers(usable);
  const { chosen, choose } = useServerChoice(usableServers, measurement.measure);
  // Also if there are no servers at all, because a plan comes with servers.
  const needsPlan =
    groups.data !== undefined &&
    usableServers.length === 0 &&
    (listServers(items).length > 0 || (service !== undefined && isServiceExpired(service, now)));
  const canCome = groups.isPending || usableServers.length > 0;

  const inUse =
    truth?.state === 'connected' && !truth.ownedByOther
      ? serverAt(truth.gateway, usableServers, chosen)
      : undefined;

  /** Switches servers in one step, during which nothing leaves outside the tunnel. */
  function chooseServer(server: ListedServer): void {
    choose(server);
    if (leadsElsewhere(shownState(view), server)) void tunnel.connect(server);
  }

  return (
    <>
      <PageHeading>{t('connect.title')}</PageHeading>
      <div className={classes.column}>
        <StatusPanel
          servers={listServers(items)}
          chosen={chosen}
          serverLookup={chosen ? 'known' : canCome ? 'loading' : 'none'}
          needsPlan={needsPlan}
          hasPlan={service !== undefined && usableServers.length > 0}
        >
          <ServerButton
            groups={groups}
            usable={usable}
            chosen={chosen}
            inUse={inUse}
            needsPlan={needsPlan}
            measurement={measurement}
            onChoose={chooseServer}
          />
        </StatusPanel>
        <DamagedSettingsNotice />
        <ClockNotice />
        <MemorySessionNotice />
        {chosen && (
          // Directly below the card, which refers to it. A connection may be the first to ask for a group or a
          // certificate.
          <Fragment key={`${chosen.serverId} ${truth?.state}`}>
            <GatewayGroup address={serverAddress(chosen)} />
            <GatewayCertificate address={serverAddress(chosen)} />
          </Fragment>
        )}
        {/* Only in this state is there the Connect button that it describes. */}
        <Welcome isTimely={chosen !== undefined && truth?.state === 'disconnected' && !truth.ownedByOther} />
        <ProtectionLine />
      </div>
    </>
  );
}
