import { Button, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage-keys.ts';
import { showSuccess } from '../../ui/toast.ts';
import { useNow } from '../../ui/use-now.ts';
import { readCodeSent, resendSecondsLeft } from './resend-countdown.ts';
import classes from './sign-in.module.css';
import { useRequestCode } from './use-request-code.ts';

/** Another code, once the last one is a minute old. The countdown goes on through a reload of the page. */
export function ResendCode({ email, onSent }: { email: string; onSent: (authId: string) => void }) {
  const { t } = useTranslation();
  const host = useHost();
  const requestCode = useRequestCode();
  const now = useNow(1);
  const [sentAt, setSentAt] = useState(() => Date.now());

  useEffect(() => {
    void host.storage
      .get(storageKeys.codeSent)
      .then((stored) => setSentAt(readCodeSent(stored, email, Date.now())));
  }, [host, email]);

  const left = resendSecondsLeft(sentAt, now);
  const resend = async () => {
    const authId = await requestCode.send(email);
    if (!authId) return;
    setSentAt(Date.now());
    showSuccess(t('verify.resent'));
    onSent(authId);
  };
  return (
    <>
      <Button
        className={classes.resend}
        variant="subtle"
        size="compact-sm"
        disabled={left > 0}
        loading={requestCode.busy}
        onClick={() => void resend()}
      >
        {left > 0 ? t('verify.resendIn', { seconds: left }) : t('verify.resend')}
      </Button>
      {/* Every second aloud would be noise: only the end of the wait is said. */}
      <VisuallyHidden aria-live="polite">{left === 0 ? t('verify.resendReady') : ''}</VisuallyHidden>
    </>
  );
}
