import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconChevronRight, IconServer2 } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { ServerChooser } from '../server-chooser/server-chooser.tsx';
import classes from './server-button.module.css';

interface ServerButtonProps {
  groups: UseQueryResult<{ items: ServerGroup[] }>;
  usable: readonly ServerGroup[];
  chosen: ListedServer | undefined;
  onChoose: (server: ListedServer) => void;
}

/** The server that Connect goes to, and the way to all others. */
export function ServerButton({ groups, usable, chosen, onChoose }: ServerButtonProps) {
  const { t } = useTranslation();
  const [openedBy, setOpenedBy] = useState<'keyboard' | 'pointer'>();
  if (groups.error && !groups.data) {
    return <LoadFailure text={t('connect.serversFailed')} onRetry={() => void groups.refetch()} />;
  }
  if (!groups.data) return <Placeholder lines={2} />;
  const { items } = groups.data;
  if (listServers(items).length === 0) {
    return (
      <div className={classes.empty}>
        <p className={classes.emptyTitle}>{t('connect.noServers')}</p>
        <p>{t('connect.noServersText')}</p>
      </div>
    );
  }
  return (
    <>
      <UnstyledButton
        className={classes.button}
        aria-haspopup="dialog"
        // No pointer has clicked so often, nor once, where a key did (UI Events, `detail`).
        onClick={({ detail }) => setOpenedBy(detail === 0 ? 'keyboard' : 'pointer')}
      >
        <IconServer2 size={22} stroke={1.8} aria-hidden className={classes.icon} />
        {chosen && (
          <VisuallyHidden>
            {t('servers.change', { server: `${chosen.name}, ${chosen.group.name}` })}
          </VisuallyHidden>
        )}
        <span className={classes.words} aria-hidden={chosen && true}>
          <span className={classes.name}>{chosen ? chosen.name : t('servers.all')}</span>
          {chosen && <span className={classes.group}>{chosen.group.name}</span>}
        </span>
        <IconChevronRight size={20} aria-hidden className={classes.icon} />
      </UnstyledButton>
      {openedBy && (
        <ServerChooser
          openedBy={openedBy}
          groups={items}
          usable={usable}
          chosen={chosen}
          onClose={() => setOpenedBy(undefined)}
          onChoose={(server) => {
            setOpenedBy(undefined);
            onChoose(server);
          }}
        />
      )}
    </>
  );
}
