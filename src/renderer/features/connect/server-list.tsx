import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import { useApi } from '../../api/use-api.ts';
import { Card } from '../../ui/card.tsx';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { ShopButton } from '../purchase/shop-button.tsx';
import { useUser } from '../session/use-user.ts';
import { lackOfPlan } from './lack-of-plan.ts';
import { ServerGroupChoice } from './server-group-choice.tsx';
import classes from './server-list.module.css';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';

interface ServerListProps {
  groups: UseQueryResult<{ items: ServerGroup[] }>;
  usable: readonly ServerGroup[];
  chosen: ListedServer | undefined;
  onChoose: (server: ListedServer) => void;
  /** Whether the way to the shop is here, and not in the place of Connect. */
  hasShop: boolean;
}

export function ServerList({ groups, usable, chosen, onChoose, hasShop }: ServerListProps) {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const { data: service } = useApi('myService');
  const lackOf = (group: ServerGroup) =>
    service && !usable.includes(group) ? lackOfPlan(group, service, user) : undefined;
  return (
    <Card title={t('connect.servers')}>
      {groups.data ? (
        groups.data.items.map((group) => (
          <ServerGroupChoice
            key={group.id}
            group={group}
            lack={lackOf(group)}
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
      {hasShop && groups.data && usable.length < groups.data.items.length && (
        <ShopButton variant="default" fullWidth />
      )}
    </Card>
  );
}
