import { Button } from '@mantine/core';
import { IconSpy } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../../platform/host-context.tsx';
import { showError } from '../../../ui/messages/toast.ts';
import classes from './connection-facts.module.css';

/** Opens a browser window whose sites all go through the tunnel. */
export function TunnelWindowButton() {
  const { t } = useTranslation();
  const host = useHost();
  const explanation = useId();
  const [busy, setBusy] = useState(false);

  async function open(): Promise<void> {
    setBusy(true);
    const outcome = await host.browser.openThroughTunnel().catch(() => 'failed' as const);
    setBusy(false);
    if (outcome === 'no-browser') showError(t('error.noBrowser'));
    else if (outcome === 'failed') showError(t('error.tunnelWindow'));
  }

  return (
    <div>
      <Button
        variant="default"
        fullWidth
        leftSection={<IconSpy size={18} aria-hidden />}
        loading={busy}
        aria-describedby={explanation}
        onClick={() => void open()}
      >
        {t('connect.tunnelWindow')}
      </Button>
      <p id={explanation} className={classes.hint}>
        {t('connect.tunnelWindowText')}
      </p>
    </div>
  );
}
