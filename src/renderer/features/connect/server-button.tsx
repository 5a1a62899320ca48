import { useCallbackRef } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { startTransition, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';
import { RefreshButton } from '../session/refresh-button.tsx';
import { ServerChooser } from '../server-chooser/server-chooser.tsx';
import { prepareRows } from '../server-chooser/server-rows.ts';
import type { LatencyMeasurement } from '../server-chooser/use-latencies.ts';
import { useKeptServers } from '../server-chooser/use-kept-servers.ts';
import { ChosenServer } from './chosen-server.tsx';
import classes from './server-button.module.css';

interface ServerButtonProps {
  groups: UseQueryResult<{ items: ServerGroup[] }>;
  usable: readonly ServerGroup[];
  chosen: ListedServer | undefined;
  /** That of the user's own tunnel that is up. */
  inUse: ListedServer | undefined;
  /** This user has no server because a plan is missing; the card says so. */
  needsPlan: boolean;
  measurement: LatencyMeasurement;
  onChoose: (server: ListedServer) => void;
}

/** The server that Connect uses, which opens the list of all others. */
export function ServerButton(props: ServerButtonProps) {
  const { groups, usable, chosen, inUse, needsPlan, measurement, onChoose } = props;
  const { t } = useTranslation();
  const { kept, setFavourite } = useKeptServers();
  const language = useLanguageTag();
  const [openedBy, setOpenedBy] = useState<'keyboard' | 'pointer'>();
  const [isPrepared, setPrepared] = useState(false);
  const listed = groups.data?.items;
  useEffect(() => {
    if (!listed || isPrepared) return undefined;
    // Safari does not have this; there, opening the list takes longer.
    const idle = (window as Partial<Window>).requestIdleCallback?.(() => {
      prepareRows(listed, language);
      startTransition(() => setPrepared(true));
    });
    return () => {
      if (idle !== undefined) window.cancelIdleCallback(idle);
    };
  }, [listed, language, isPrepared]);
  const close = useCallbackRef(() => {
    setOpenedBy(undefined);
    // The next animation starts where this one did.
    setPrepared(false);
  });
  const choose = useCallbackRef((server: ListedServer) => {
    close();
    onChoose(server);
  });
  if (groups.error && !groups.data) {
    return <LoadFailure text={t('connect.serversFailed')} onRetry={() => void groups.refetch()} />;
  }
  if (!groups.data) return <Placeholder lines={2} />;
  const { items } = groups.data;
  if (listServers(items).length === 0) {
    if (needsPlan) return null;
    return (
      <div className={classes.empty}>
        <div>
          <p className={classes.emptyTitle}>{t('connect.noServers')}</p>
          <p>{t('connect.noServersText')}</p>
        </div>
        <RefreshButton />
      </div>
    );
  }
  return (
    <>
      <ChosenServer
        chosen={chosen}
        isFavourite={chosen !== undefined && kept.favourites.includes(chosen.serverId)}
        setFavourite={setFavourite}
        onOpen={setOpenedBy}
      />
      {(openedBy !== undefined || isPrepared) && (
        <ServerChooser
          openedBy={openedBy}
          groups={items}
          usable={usable}
          chosen={chosen}
          inUse={inUse}
          kept={kept}
          setFavourite={setFavourite}
          measurement={measurement}
          onClose={close}
          onChoose={choose}
        />
      )}
    </>
  );
}
