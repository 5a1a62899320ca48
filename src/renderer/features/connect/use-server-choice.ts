import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverAddress } from '#shared/tunnel/address.ts';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage-keys.ts';
import { showError } from '../../ui/toast.ts';
import type { ListedServer } from './usable-group.ts';

/** The server the user chose, remembered, and prepared for as soon as it is known. */
export function useServerChoice(servers: readonly ListedServer[]): {
  chosen: ListedServer | undefined;
  choose: (server: ListedServer) => void;
} {
  const { t } = useTranslation();
  const host = useHost();
  const [chosenId, setChosenId] = useState<string>();

  useEffect(() => {
    void host.storage
      .get(storageKeys.serverId)
      .then((last) => setChosenId((now) => now ?? last ?? undefined));
  }, [host]);

  const chosen = servers.find(({ serverId }) => serverId === chosenId);
  const address = chosen && serverAddress(chosen);
  useEffect(() => {
    // Ahead of the click, so that connecting costs fewer round trips; the click itself tells any failure.
    if (address !== undefined) host.tunnel.prepare({ address }).catch(() => undefined);
  }, [host, address]);

  const choose = (server: ListedServer) => {
    setChosenId(server.serverId);
    void host.storage.set({ key: storageKeys.serverId, value: server.serverId }).then((done) => {
      if (!done) showError(t('error.storage'));
    });
  };
  return { chosen, choose };
}
