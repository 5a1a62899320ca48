import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { ApiFailure, ApiResult } from '#shared/api/result.ts';
import { failureText } from '../../api/api-failure.ts';
import { useLanguage } from '../../i18n/language-context.tsx';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage-keys.ts';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { showError } from '../../ui/toast.ts';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import type { DeviceLogin } from './take-device-login.ts';

/** Signs in with a token that the device already has, and goes on to where the user wanted to go. */
export function SignInDevice({ login }: { login: DeviceLogin }) {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const navigate = useNavigate();
  const [failure, setFailure] = useState<ApiFailure>();

  const signIn = async () => {
    setFailure(undefined);
    const { deviceId, token, next, inApp } = login;
    const result = await host.session
      .signInWithToken({ deviceId, token, language })
      .catch((): ApiResult<never> => ({ ok: false, failure: { kind: 'network' } }));
    if (!result.ok) {
      setFailure(result.failure);
      return;
    }
    // Afterwards, because a sign-in forgets what was stored about whoever was here before.
    if (inApp && !(await host.storage.set({ key: storageKeys.inApp, value: '1' }))) {
      showError(t('error.storage'));
    }
    void navigate(next, { replace: true });
  };
  // Once: what failed is tried again when the user says so.
  useOnArrival(() => void signIn());

  if (!failure) {
    return (
      <CenteredPanel>
        <PageHeading align="center" lead={t('deviceLogin.lead')}>
          {t('deviceLogin.title')}
        </PageHeading>
        <Placeholder lines={2} />
      </CenteredPanel>
    );
  }
  return (
    <CenteredPanel>
      <PageHeading align="center">{t('deviceLogin.failedTitle')}</PageHeading>
      <LoadFailure text={failureText(failure, t, 'error.login')} onRetry={() => void signIn()} />
      <Button component={Link} to="/login" variant="default" size="md">
        {t('deviceLogin.email')}
      </Button>
    </CenteredPanel>
  );
}
