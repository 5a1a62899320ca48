import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Message } from '../../ui/messages/message.tsx';
import { useTunnel, useTunnelView } from './tunnel-context.tsx';
import { isBlocked } from '#shared/tunnel/look.ts';
import { shownState } from './tunnel-store.ts';

/**
 * For a user who is not signed in while traffic is blocked for a tunnel: there is no tunnel without a sign-in, and the
 * service cannot be reached for one.
 */
export function HeldTrafficNotice({ onUnblock }: { onUnblock: () => void }) {
  const { t } = useTranslation();
  const tunnel = useTunnel();
  const state = shownState(useTunnelView());
  if (state?.state !== 'connecting' && !isBlocked(state)) return null;
  const unblock = () => {
    onUnblock();
    void tunnel.disconnect();
  };
  return (
    <Message
      tone="warn"
      title={t('login.heldTitle')}
      action={
        !state?.ownedByOther && (
          <Button variant="default" onClick={unblock}>
            {t('connect.unblock')}
          </Button>
        )
      }
    >
      {t(state?.ownedByOther ? 'connect.ownedByOtherText' : 'login.heldText')}
    </Message>
  );
}
