import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { serviceExpiryCheckSeconds } from '#shared/constants.ts';
import type { ServerGroup } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { Card } from '../../ui/card.tsx';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { useNow } from '../../ui/use-now.ts';
import { ServerGroupChoice } from './server-group-choice.tsx';
import classes from './server-list.module.css';
import { isGroupUsable, type ListedServer } from './usable-group.ts';

interface ServerListProps {
  groups: UseQueryResult<{ items: ServerGroup[] }>;
  chosen: ListedServer | undefined;
  onChoose: (server: ListedServer) => void;
}

export function ServerList({ groups, chosen, onChoose }: ServerListProps) {
  const { t } = useTranslation();
  return (
    <Card title={t('connect.servers')}>
      {groups.data ? (
        <Groups groups={groups.data.items} chosen={chosen} onChoose={onChoose} />
      ) : groups.error ? (
        <LoadFailure text={t('connect.serversFailed')} onRetry={() => void groups.refetch()} />
      ) : (
        <Placeholder lines={5} />
      )}
    </Card>
  );
}

function Groups({ groups, chosen, onChoose }: Omit<ServerListProps, 'groups'> & { groups: ServerGroup[] }) {
  const { t } = useTranslation();
  const { data: service } = useApi('myService');
  const now = useNow(serviceExpiryCheckSeconds);
  if (groups.every(({ items }) => items.every(({ servers }) => servers.length === 0))) {
    return (
      <div className={classes.empty}>
        <p className={classes.emptyTitle}>{t('connect.noServers')}</p>
        <p>{t('connect.noServersText')}</p>
      </div>
    );
  }
  return groups.map((group) => (
    <ServerGroupChoice
      key={group.id}
      group={group}
      usable={isGroupUsable(group, service, now)}
      chosen={chosen}
      onChoose={onChoose}
    />
  ));
}
