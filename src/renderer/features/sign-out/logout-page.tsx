import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { showError } from '../../ui/messages/toast.ts';
import { Link } from '../../ui/text/link.tsx';

export function LogoutPage() {
  const { t } = useTranslation();
  const host = useHost();
  const { hasTunnel } = useApp();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);

  const signOut = async () => {
    setBusy(true);
    try {
      await host.session.signOut({ by: 'user' });
      void navigate('/login', { replace: true });
    } catch {
      setBusy(false);
      showError(t('error.network'));
    }
  };
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={t(hasTunnel ? 'logout.textTunnel' : 'logout.text')}>
        {t('logout.title')}
      </PageHeading>
      <Button size="md" loading={busy} onClick={() => void signOut()}>
        {t('logout.confirm')}
      </Button>
      <Button component={Link} to="/dashboard" variant="default" size="md">
        {t('logout.cancel')}
      </Button>
    </CenteredPanel>
  );
}
