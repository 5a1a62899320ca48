import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/use-api.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { MemorySessionNotice } from '../session/memory-session-notice.tsx';
import classes from './connect.module.css';
import { ServerList } from './server-list.tsx';
import { StatusPanel } from './status-panel.tsx';
import { listServers } from './usable-group.ts';
import { useServerChoice } from './use-server-choice.ts';

export function ConnectPage() {
  const { t } = useTranslation();
  const groups = useApi('serverGroups');
  const servers = useMemo(() => listServers(groups.data?.items ?? []), [groups.data]);
  const { chosen, choose } = useServerChoice(servers);
  return (
    <>
      <PageHeading>{t('connect.title')}</PageHeading>
      <MemorySessionNotice />
      <div className={classes.columns}>
        <StatusPanel servers={servers} chosen={chosen} />
        <ServerList groups={groups} chosen={chosen} onChoose={choose} />
      </div>
    </>
  );
}
