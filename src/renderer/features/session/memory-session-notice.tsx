import { useTranslation } from 'react-i18next';
import { Message } from '../../ui/message.tsx';
import { useSession } from './session-context.tsx';

/** Tells that the sign-in is not kept, where the desktop has no keychain to keep it in. */
export function MemorySessionNotice() {
  const { t } = useTranslation();
  const { persistence } = useSession();
  if (persistence !== 'memory') return null;
  return (
    <Message tone="info" title={t('account.memoryTitle')}>
      {t('account.memoryText')}
    </Message>
  );
}
