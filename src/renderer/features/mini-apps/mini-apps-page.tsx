import { IconLayoutGrid } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { Empty } from '../../ui/lists/empty.tsx';
import { List } from '../../ui/lists/list.tsx';
import { ListPlaceholder } from '../../ui/lists/list-placeholder.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { MiniAppTile } from './mini-app-tile.tsx';
import classes from './mini-apps.module.css';
import { useOpenMiniApp } from './use-open-mini-app.ts';

/** The mini-apps that the user's group offers, highest priority first, as the service sends them. */
export function MiniAppsPage() {
  const { t } = useTranslation();
  const { data: miniApps, error, refetch } = useApi('myApps');
  const { open, opening } = useOpenMiniApp();
  return (
    <>
      <PageHeading lead={t('miniApps.lead')}>{t('section.miniApps')}</PageHeading>
      {miniApps ? (
        miniApps.items.length === 0 ? (
          <Empty icon={<IconLayoutGrid />} title={t('miniApps.empty')} text={t('miniApps.emptyText')} />
        ) : (
          <List label={t('section.miniApps')} className={classes.grid}>
            {miniApps.items.map((miniApp) => (
              <li key={miniApp.id} className={classes.cell}>
                <MiniAppTile
                  miniApp={miniApp}
                  opening={opening === miniApp.id}
                  onOpen={() => void open(miniApp)}
                />
              </li>
            ))}
          </List>
        )
      ) : error ? (
        <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />
      ) : (
        <ListPlaceholder />
      )}
    </>
  );
}
