import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { useTunnel } from '../tunnel/tunnel-context.tsx';
import { isBlocked, problemsByWeight } from '#shared/tunnel/look.ts';
import { isServerAt, type ListedServer } from '#shared/plan/usable-group.ts';

interface ConnectButtonsProps {
  state: TunnelState | undefined;
  chosen: ListedServer | undefined;
}

/**
 * None for another user's connection. Else the one button that changes the tunnel; beside it, while connected, the way
 * to another chosen server, or to the same one anew if something is wrong with it; and while the kill switch blocks
 * without a tunnel, the way out of that.
 */
export function ConnectButtons({ state, chosen }: ConnectButtonsProps) {
  const { t } = useTranslation();
  const tunnel = useTunnel();
  const connect = () => void tunnel.connect(chosen);
  if (state?.ownedByOther) return null;
  const { text, does } = mainButton(state);
  const elsewhere = state?.state === 'connected' && chosen && !isServerAt(chosen, state.gateway);
  const again = chosen && !elsewhere && problemsByWeight(state).length > 0;
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
      {/* The same element in every state, and never `disabled` while it may have the focus: it would lose it. */}
      <Button
        key="main"
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
      {isBlocked(state) && (
        <Button key="unblock" size="lg" fullWidth variant="default" onClick={() => void tunnel.disconnect()}>
          {t('connect.unblock')}
        </Button>
      )}
    </>
  );
}

interface MainButton {
  text: TextKey;
  does: 'connect' | 'disconnect' | 'wait' | 'nothing-yet';
}

function mainButton(state: TunnelState | undefined): MainButton {
  switch (state?.state) {
    case undefined:
    case 'invalid':
      return { text: 'connect.connect', does: 'nothing-yet' };
    case 'disconnected':
      return { text: 'connect.connect', does: 'connect' };
    case 'connecting':
      return { text: 'connect.cancel', does: 'disconnect' };
    case 'connected':
      return { text: 'connect.disconnect', does: 'disconnect' };
    case 'disconnecting':
      return { text: 'connect.disconnect', does: 'wait' };
    default:
      return state satisfies never;
  }
}
