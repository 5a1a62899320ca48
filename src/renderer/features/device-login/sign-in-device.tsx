import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { ApiFailure } from '#shared/api/result.ts';
import { ApiCallFailed, failureText } from '../../api/api-failure.ts';
import { useLanguage } from '../../i18n/language-context.tsx';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';
import { showError } from '../../ui/messages/toast.ts';
import { useOnArrival } from '../../ui/use-on-arrival.ts';
import type { DeviceLogin } from './take-device-login.ts';
import { findAccountChange, type AccountChange } from './account-change.ts';
import { Link } from '../../ui/text/link.tsx';

/**
 * Signs in with a token that the device already has, and continues to where the user wanted to go. If somebody else is
 * signed in, it asks first: a stranger's link must not make people use the stranger's account without noticing.
 */
export function SignInDevice({ login }: { login: DeviceLogin }) {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const navigate = useNavigate();
  const [failure, setFailure] = useState<ApiFailure>();
  const [question, setQuestion] = useState<AccountChange>();
  const { deviceId, token, next, inApp } = login;
  const device = { deviceId, token, language };

  const fail = (error: unknown) =>
    setFailure(error instanceof ApiCallFailed ? error.failure : { kind: 'network' });
  const signIn = async () => {
    setQuestion(undefined);
    const result = await host.session.signInWithToken(device);
    if (!result.ok) throw new ApiCallFailed(result.failure);
    // Afterwards, because a sign-in deletes what was stored about the previous user.
    if (inApp && !(await host.storage.set({ key: storageKeys.inApp, value: '1' }))) {
      showError(t('error.storage'));
    }
    void navigate(next, { replace: true });
  };
  const begin = async () => {
    setFailure(undefined);
    const instead = await findAccountChange(host, device);
    if (instead) setQuestion(instead);
    else await signIn();
  };
  // Once: after a failure, the user decides whether to try again.
  useOnArrival(() => void begin().catch(fail));

  if (question) {
    return (
      <CenteredPanel>
        <PageHeading align="center" lead={t('deviceLogin.otherLead', { ...question })}>
          {t('deviceLogin.otherTitle')}
        </PageHeading>
        <Button size="md" onClick={() => void signIn().catch(fail)}>
          {t('deviceLogin.signInInstead')}
        </Button>
        <Button component={Link} to="/" replace variant="default" size="md">
          {t('deviceLogin.stay')}
        </Button>
      </CenteredPanel>
    );
  }
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
      <LoadFailure text={failureText(failure, t, 'error.login')} onRetry={() => void begin().catch(fail)} />
      <Button component={Link} to="/login" variant="default" size="md">
        {t('deviceLogin.email')}
      </Button>
    </CenteredPanel>
  );
}
