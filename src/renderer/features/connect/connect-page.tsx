import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { serviceExpiryCheckSeconds } from '#shared/constants.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import { useApi } from '../../api/use-api.ts';
import { useApp } from '../../platform/host-context.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { useNow } from '../../ui/use-now.ts';
import { GatewayCertificate } from '../gateway-form/gateway-certificate.tsx';
import { GatewayGroup } from '../gateway-form/gateway-group.tsx';
import { MemorySessionNotice } from '../session/memory-session-notice.tsx';
import classes from './connect.module.css';
import { Protection } from './protection.tsx';
import { RoutingChoice } from './routing-choice.tsx';
import { ServerList } from './server-list.tsx';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import { shownState } from '../tunnel/tunnel-store.ts';
import { isForConnecting } from './main-button.ts';
import { StatusPanel } from './status-panel.tsx';
import { isGroupUsable, listServers } from '#shared/plan/usable-group.ts';
import { useServerChoice } from './use-server-choice.ts';

export function ConnectPage() {
  const { t } = useTranslation();
  const { kind } = useApp();
  const view = useTunnelView();
  const groups = useApi('serverGroups');
  const { data: service } = useApi('myService');
  const items = groups.data?.items ?? [];
  // A trial ends to the second, and its countdown must not run on beside servers that are still offered.
  const now = useNow(items.some(({ isTrial }) => isTrial) ? 1 : serviceExpiryCheckSeconds);
  const usable = items.filter((group) => isGroupUsable(group, service, now));
  const { chosen, choose } = useServerChoice(listServers(usable));
  const needsPlan = items.length > 0 && usable.length === 0;
  return (
    <>
      <PageHeading>{t('connect.title')}</PageHeading>
      <MemorySessionNotice />
      <div className={classes.columns}>
        <StatusPanel servers={listServers(items)} chosen={chosen} needsPlan={needsPlan} />
        <div className={classes.column}>
          <ServerList
            {...{ groups, usable, chosen }}
            onChoose={choose}
            hasShop={!(needsPlan && isForConnecting(shownState(view)))}
          />
          {chosen && (
            // A connection may have been the first to ask for a group or a certificate.
            <Fragment key={`${chosen.serverId} ${view.truth?.state}`}>
              <GatewayGroup address={serverAddress(chosen)} />
              <GatewayCertificate address={serverAddress(chosen)} />
            </Fragment>
          )}
          <RoutingChoice />
        </div>
        {kind === 'desktop' && <Protection />}
      </div>
    </>
  );
}
