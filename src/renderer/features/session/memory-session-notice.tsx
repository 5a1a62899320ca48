import { useTranslation } from 'react-i18next';
import { useApp } from '../../platform/host-context.tsx';
import { Message } from '../../ui/message.tsx';
import { useSession } from './session-context.tsx';

/** Tells that the sign-in is not kept, where the desktop has no keychain and the browser no storage to keep it in. */
export function MemorySessionNotice() {
  const { t } = useTranslation();
  const { kind } = useApp();
  const { persistence } = useSession();
  if (persistence !== 'memory') return null;
  const isWeb = kind === 'web';
  return (
    <Message tone="info" title={t(isWeb ? 'account.memoryTitleWeb' : 'account.memoryTitle')}>
      {t(isWeb ? 'account.memoryTextWeb' : 'account.memoryText')}
    </Message>
  );
}
