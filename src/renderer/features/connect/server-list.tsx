import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import { Card } from '../../ui/card.tsx';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { ServerGroupChoice } from './server-group-choice.tsx';
import classes from './server-list.module.css';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';

interface ServerListProps {
  groups: UseQueryResult<{ items: ServerGroup[] }>;
  usable: readonly ServerGroup[];
  chosen: ListedServer | undefined;
  onChoose: (server: ListedServer) => void;
}

export function ServerList({ groups, usable, chosen, onChoose }: ServerListProps) {
  const { t } = useTranslation();
  return (
    <Card title={t('connect.servers')}>
      {groups.data ? (
        groups.data.items.map((group) => (
          <ServerGroupChoice
            key={group.id}
            group={group}
            usable={usable.includes(group)}
            chosen={chosen}
            onChoose={onChoose}
          />
        ))
      ) : groups.error ? (
        <LoadFailure text={t('connect.serversFailed')} onRetry={() => void groups.refetch()} />
      ) : (
        <Placeholder lines={5} />
      )}
      {groups.data && listServers(groups.data.items).length === 0 && (
        <div className={classes.empty}>
          <p className={classes.emptyTitle}>{t('connect.noServers')}</p>
          <p>{t('connect.noServersText')}</p>
        </div>
      )}
    </Card>
  );
}
