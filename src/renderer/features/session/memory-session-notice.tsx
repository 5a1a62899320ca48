import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { focusHeading } from '../../ui/focus/focus-heading.ts';
import { Message } from '../../ui/messages/message.tsx';
import { untilSignOut, useDismissal } from '../../ui/messages/use-dismissal.ts';
import { useSession } from './session-context.tsx';

const noticeSeen = untilSignOut(storageKeys.memoryNoticeSeen);

/**
 * Says that the sign-in is not kept, because the desktop has no keychain or the browser no storage. After being
 * dismissed, it appears again if there was a place to keep it in the meantime.
 */
export function MemorySessionNotice() {
  const { t } = useTranslation();
  const { kind } = useApp();
  const { persistence } = useSession();
  const { isDismissed, dismiss, restore } = useDismissal(noticeSeen);
  const isKept = persistence !== 'memory';
  useEffect(() => {
    if (isKept && isDismissed) restore();
  }, [isKept, isDismissed, restore]);
  if (isKept || isDismissed !== false) return null;
  const isWeb = kind === 'web';
  return (
    <Message
      tone="info"
      title={t(isWeb ? 'account.memoryTitleWeb' : 'account.memoryTitle')}
      onClose={() => {
        dismiss();
        focusHeading();
      }}
    >
      {t(isWeb ? 'account.memoryTextWeb' : 'account.memoryText')}
    </Message>
  );
}
