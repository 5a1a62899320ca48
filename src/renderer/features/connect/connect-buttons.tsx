import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { useTunnel } from '../tunnel/tunnel-context.tsx';
import { isBlocked, problemsByWeight } from '#shared/tunnel/look.ts';
import { isServerAt, type ListedServer } from '#shared/plan/usable-group.ts';
import { useUser } from '../session/use-user.ts';
import { useFocusHandover } from '../../ui/use-focus-handover.ts';
import { isForConnecting, mainButton } from './main-button.ts';
import { PlanInstead } from './plan-instead.tsx';

interface ConnectButtonsProps {
  state: TunnelState | undefined;
  chosen: ListedServer | undefined;
  /** There are servers, and none for this user. */
  needsPlan: boolean;
}

/**
 * None for another user's connection. Else the one button that changes the tunnel; beside it, while connected, the way
 * to another chosen server, or to the same one anew if something is wrong with it; and while the kill switch blocks
 * without a tunnel, the way out of that. Where a plan is what is missing, the way to one stands in Connect's place; for
 * members, who cannot buy it, whom to ask.
 */
export function ConnectButtons({ state, chosen, needsPlan }: ConnectButtonsProps) {
  const { t } = useTranslation();
  const tunnel = useTunnel();
  const { data: user } = useUser();
  const mainAction = useFocusHandover();
  const connect = () => void tunnel.connect(chosen);
  if (state?.ownedByOther) return null;
  const { text, does } = mainButton(state);
  const elsewhere = state?.state === 'connected' && chosen && !isServerAt(chosen, state.gateway);
  const again = chosen && !elsewhere && problemsByWeight(state).length > 0;
  const main = (
    // The same element in every state, and never `disabled` while it may have the focus: it would lose it.
    <Button
      key="main"
      ref={mainAction}
      size="lg"
      fullWidth
      variant={does === 'connect' || does === 'nothing-yet' ? 'filled' : 'default'}
      disabled={does === 'nothing-yet'}
      data-disabled={does === 'wait' || undefined}
      aria-disabled={does === 'wait' || undefined}
      onClick={() => {
        if (does === 'connect') connect();
        if (does === 'disconnect') void tunnel.disconnect();
      }}
    >
      {t(text)}
    </Button>
  );
  return (
    <>
      {again && (
        <Button key="again" size="lg" fullWidth onClick={connect}>
          {t('connect.again')}
        </Button>
      )}
      {elsewhere && (
        <Button key="switch" size="lg" fullWidth onClick={connect}>
          {t('connect.switch', { server: chosen.name })}
        </Button>
      )}
      {needsPlan && user && isForConnecting(state) ? <PlanInstead ref={mainAction} user={user} /> : main}
      {isBlocked(state) && (
        <Button key="unblock" size="lg" fullWidth variant="default" onClick={() => void tunnel.disconnect()}>
          {t('connect.unblock')}
        </Button>
      )}
    </>
  );
}
