import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverAddress } from '#shared/tunnel/address.ts';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage-keys.ts';
import { showError } from '../../ui/toast.ts';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import type { ListedServer } from '#shared/plan/usable-group.ts';

/** The server the user chose, if it may be used, remembered and prepared for. */
export function useServerChoice(usable: readonly ListedServer[]): {
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

  const chosen = usable.find(({ serverId }) => serverId === chosenId);
  usePreparation(chosen && serverAddress(chosen));

  const choose = (server: ListedServer) => {
    setChosenId(server.serverId);
    void host.storage.set({ key: storageKeys.serverId, value: server.serverId }).then((done) => {
      if (!done) showError(t('error.storage'));
    });
  };
  return { chosen, choose };
}

/** A prepared session grows old while the user looks on; the host makes a new one only then. */
const prepareAgainSeconds = 60;

/**
 * Has the host sign in ahead of the click, so that connecting costs fewer round trips; again after each
 * tunnel, which used the session up. A failure is told by the click itself.
 */
function usePreparation(address: string | undefined): void {
  const host = useHost();
  const idle = useTunnelView().truth?.state === 'disconnected';
  useEffect(() => {
    if (!idle || address === undefined) return undefined;
    const prepare = () => {
      if (document.visibilityState !== 'visible') return;
      host.tunnel.prepare({ address }).catch(() => undefined);
    };
    prepare();
    const timer = setInterval(prepare, prepareAgainSeconds * 1000);
    document.addEventListener('visibilitychange', prepare);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', prepare);
    };
  }, [host, address, idle]);
}
