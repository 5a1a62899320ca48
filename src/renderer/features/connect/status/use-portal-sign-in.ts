import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../../platform/host-context.tsx';
import { showError } from '../../../ui/messages/toast.ts';

/** Looks for the network's sign-in page, past the kill switch, and says so if there is none. */
export function usePortalSignIn(): { isLooking: boolean; open: () => void } {
  const { t } = useTranslation();
  const host = useHost();
  const [isLooking, setLooking] = useState(false);

  async function look(): Promise<void> {
    setLooking(true);
    const found = await host.portal.open().catch(() => 'failed' as const);
    setLooking(false);
    if (found === 'absent') showError(t('connect.noPortal'));
    if (found === 'failed') showError(t('error.portal'));
  }
  return { isLooking, open: () => !isLooking && void look() };
}
