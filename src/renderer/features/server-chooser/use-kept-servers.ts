import { useCallbackRef } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KeptServers } from '#shared/host/contract.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/messages/toast.ts';

const none: KeptServers = { favourites: [], recents: [] };

/** The user's favourite and recent servers; `setFavourite` is undefined if the app keeps none. */
export function useKeptServers(): {
  kept: KeptServers;
  setFavourite: ((serverId: string, isFavourite: boolean) => void) | undefined;
} {
  const { t } = useTranslation();
  const host = useHost();
  const { keepsServers } = useApp();
  const [kept, setKept] = useState(none);
  useEffect(() => {
    if (!keepsServers) return undefined;
    let isTold = false;
    const unsubscribe = host.servers.keptChanged((now) => {
      isTold = true;
      setKept(now);
    });
    host.servers.kept().then(
      (now) => {
        if (!isTold) setKept(now);
      },
      () => undefined,
    );
    return unsubscribe;
  }, [host, keepsServers]);

  const mark = async (serverId: string, isFavourite: boolean) => {
    const done = await host.servers.setFavourite({ serverId, isFavourite }).catch(() => false);
    if (!done) showError(t('error.storage'));
  };
  const setFavourite = useCallbackRef(
    (serverId: string, isFavourite: boolean) => void mark(serverId, isFavourite),
  );
  return { kept, setFavourite: keepsServers ? setFavourite : undefined };
}
