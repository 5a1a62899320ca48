import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fastestServer, noticeableMs } from '#shared/servers/fastest-server.ts';
import { serverFor, type ListedServer } from '#shared/plan/usable-group.ts';
import { useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/messages/toast.ts';
import type { LatencyMeasurement } from '../server-chooser/use-latencies.ts';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';

/**
 * The server that Connect uses, once the host has said which one the user chose. The host stores the choice, and acts
 * on it. A user who has never chosen gets the fastest server, once it is known.
 */
export function useServerChoice(
  usable: readonly ListedServer[],
  measure: LatencyMeasurement['measure'],
): {
  chosen: ListedServer | undefined;
  choose: (server: ListedServer) => void;
} {
  const { t } = useTranslation();
  const host = useHost();
  const { truth } = useTunnelView();
  /** Undefined until the host has answered. */
  const [chosenId, setChosenId] = useState<string | null>();
  /**
   * How many choices of this page the host has not confirmed yet. What it says meanwhile may be about an earlier one.
   */
  const unconfirmed = useRef(0);
  useEffect(() => {
    const unsubscribe = host.server.changed((id) => {
      if (unconfirmed.current === 0) setChosenId(id);
    });
    void host.server.chosen().then((id) => setChosenId((now) => (now === undefined ? id : now)));
    return unsubscribe;
  }, [host]);

  const choose = async ({ serverId }: ListedServer) => {
    setChosenId(serverId);
    unconfirmed.current += 1;
    const done = await host.server.choose(serverId).catch(() => false);
    if (!done) showError(t('error.storage'));
    const now = await host.server.chosen().catch(() => undefined);
    unconfirmed.current -= 1;
    if (unconfirmed.current === 0 && now !== undefined) setChosenId(now);
  };

  async function chooseFirst(): Promise<void> {
    const { recents } = await host.servers.kept();
    if (!measure || recents.length > 0) return;
    const { latencies } = await measure();
    const fastest = fastestServer(usable, latencies, noticeableMs);
    // The user may have connected meanwhile.
    const { state } = await host.tunnel.snapshot();
    // The host may know about a choice in the tray before this page does.
    if (fastest && state === 'disconnected') await host.server.chooseFirst(fastest.serverId);
  }

  const isMeasured = useRef(false);
  const isFirstUse =
    measure !== undefined && chosenId === null && usable.length > 1 && truth?.state === 'disconnected';
  useEffect(() => {
    // Nothing is measured for a hidden window.
    if (!isFirstUse || isMeasured.current || document.visibilityState !== 'visible') return;
    isMeasured.current = true;
    chooseFirst().catch(() => undefined);
  });

  return {
    chosen: chosenId === undefined ? undefined : serverFor(usable, chosenId),
    choose: (server) => void choose(server),
  };
}
