import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverFor, type ListedServer } from '#shared/plan/usable-group.ts';
import { useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/toast.ts';

/**
 * The server that Connect goes to, once the host has said which the user chose: it keeps the choice, and does what
 * follows from it.
 */
export function useServerChoice(usable: readonly ListedServer[]): {
  chosen: ListedServer | undefined;
  choose: (server: ListedServer) => void;
} {
  const { t } = useTranslation();
  const host = useHost();
  /** Undefined until the host has said it. */
  const [chosenId, setChosenId] = useState<string | null>();
  useEffect(() => {
    const unsubscribe = host.server.changed(setChosenId);
    void host.server.chosen().then((id) => setChosenId((now) => (now === undefined ? id : now)));
    return unsubscribe;
  }, [host]);

  const choose = async ({ serverId }: ListedServer) => {
    setChosenId(serverId);
    const done = await host.server.choose(serverId).catch(() => false);
    if (!done) showError(t('error.storage'));
  };
  return {
    chosen: chosenId === undefined ? undefined : serverFor(usable, chosenId),
    choose: (server) => void choose(server),
  };
}
