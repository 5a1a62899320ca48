import { Button, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '../../ui/messages/toast.ts';
import { resendSecondsLeft, type SentCode } from './sent-code.ts';
import classes from './sign-in.module.css';
import { useRequestCode } from './use-request-code.ts';

interface ResendCodeProps {
  /** The last code. */
  sent: SentCode;
  /** Milliseconds since the Unix epoch. */
  now: number;
  onSent: (authId: string) => void;
}

/** Sends another code, once the last one is a minute old. */
export function ResendCode({ sent, now, onSent }: ResendCodeProps) {
  const { t } = useTranslation();
  const requestCode = useRequestCode();
  const left = resendSecondsLeft(sent.at, now);
  const resend = async () => {
    const result = await requestCode.send(sent.email);
    if (!result.ok) return;
    showSuccess(t('verify.resent'));
    onSent(result.data.authId);
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
      {/* Only the end of the wait is announced: every second would be noise. */}
      <VisuallyHidden aria-live="polite">{left === 0 ? t('verify.resendReady') : ''}</VisuallyHidden>
    </>
  );
}
