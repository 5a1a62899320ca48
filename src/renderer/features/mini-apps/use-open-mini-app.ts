import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MiniApp } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import type { Host } from '#shared/host/contract.ts';
import { useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/messages/toast.ts';

/** Opens mini-apps; `opening` is the id of the one that is being opened. */
export function useOpenMiniApp(): { open: (miniApp: MiniApp) => Promise<void>; opening: string | undefined } {
  const { t } = useTranslation();
  const host = useHost();
  const [opening, setOpening] = useState<string>();
  const open = async (miniApp: MiniApp) => {
    if (opening === miniApp.id) return;
    setOpening(miniApp.id);
    const opened = await openMiniApp(host, miniApp).catch(() => false);
    setOpening((now) => (now === miniApp.id ? undefined : now));
    if (!opened) showError(t('miniApps.openFailed', { name: miniApp.name }));
  };
  return { open, opening };
}

/** False if the link is not allowed for this type of mini-app, or if nothing opened it. */
async function openMiniApp(host: Host, { type, link, name }: MiniApp): Promise<boolean> {
  const allowed = webAddress(link);
  if (allowed === undefined) return false;
  switch (type) {
    case 'browser':
      return await host.app.openExternal(allowed);
    case 'webkit':
    case 'native':
      return await host.apps.open({ type, link: allowed, title: name });
    default:
      return type satisfies never;
  }
}
