import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { useTunnel } from './tunnel-context.tsx';
import type { ListedServer } from './usable-group.ts';

interface ConnectButtonsProps {
  state: TunnelState | undefined;
  chosen: ListedServer | undefined;
}

export function ConnectButtons({ state, chosen }: ConnectButtonsProps) {
  const { t } = useTranslation();
  const tunnel = useTunnel();
  const connect = () => void tunnel.connect(chosen);
  switch (state?.state) {
    case undefined:
    case 'invalid':
      return (
        <Button size="lg" fullWidth disabled>
          {t('connect.connect')}
        </Button>
      );
    case 'disconnected':
      return (
        <Button size="lg" fullWidth onClick={connect}>
          {t('connect.connect')}
        </Button>
      );
    case 'connecting':
      return (
        <Button size="lg" fullWidth variant="default" onClick={() => void tunnel.disconnect()}>
          {t('connect.cancel')}
        </Button>
      );
    case 'connected': {
      const elsewhere = chosen && chosen.domain !== state.gateway.host;
      return (
        <>
          {elsewhere && (
            <Button size="lg" fullWidth onClick={connect}>
              {t('connect.switch', { server: chosen.name })}
            </Button>
          )}
          <Button size="lg" fullWidth variant="default" onClick={() => void tunnel.disconnect()}>
            {t('connect.disconnect')}
          </Button>
        </>
      );
    }
    case 'disconnecting':
      return (
        <Button size="lg" fullWidth variant="default" disabled>
          {t('connect.disconnect')}
        </Button>
      );
    default:
      return state satisfies never;
  }
}
