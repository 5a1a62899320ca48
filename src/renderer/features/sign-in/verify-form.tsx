import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { apiCode, type ApiFailure, type ApiResult } from '#shared/api/result.ts';
import { isAuthCode } from '#shared/validation.ts';
import { failureText } from '../../api/api-failure.ts';
import { useLanguage } from '../../i18n/language-context.tsx';
import { useHost } from '../../platform/host-context.tsx';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { EmailText } from '../../ui/text/email-text.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import { useNow } from '../../ui/time/use-now.ts';
import { useSession } from '../session/session-context.tsx';
import { CodeField } from './code-field.tsx';
import { forgetOtherAccount } from './forget-other-account.ts';
import { ResendCode } from './resend-code.tsx';
import { isCodeOver } from './sent-code.ts';
import classes from './sign-in.module.css';
import { useCodeInUse } from './use-sent-code.ts';
import { isOverOrigin, verifyPath, verifyPathname } from './verify-path.ts';
import { Link } from '../../ui/text/link.tsx';

export function VerifyForm({ email, authId, next }: { email: string; authId: string; next: string }) {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { signedIn } = useSession();
  const { state } = useLocation();
  const canGoBack = isOverOrigin(state);
  const [code, setCode] = useState('');
  const [incorrect, setIncorrect] = useState(false);
  const [busy, setBusy] = useState(false);
  const { sent, countWrong, forget } = useCodeInUse(email, authId);
  const now = useNow(1);

  const verify = async (authCode: string) => {
    if (!isAuthCode(authCode) || busy) return;
    setBusy(true);
    setIncorrect(false);
    // Otherwise the host signs out whoever is signed in.
    if (!signedIn && !(await forgetOtherAccount(queries, host.storage, email))) showError(t('error.clear'));
    const result = await host.session
      .verifyCode({ authId, authCode, language })
      .catch((): ApiResult<never> => ({ ok: false, failure: { kind: 'network' } }));
    setBusy(false);
    if (result.ok) {
      forget();
      showSuccess(t('verify.success'));
      // The user has left meanwhile, perhaps to the email page, which redirects by itself.
      if (location.pathname !== verifyPathname) return;
      // An email page now redirects by itself, so no sign-in page is left to go back to.
      if (canGoBack) void navigate(-1);
      else void navigate(next, { replace: true });
    } else if (isWrongCode(result.failure)) {
      countWrong();
      setIncorrect(true);
      setCode('');
    } else {
      const lost = result.failure.kind === 'network';
      showError(failureText(result.failure, t, lost ? 'error.verification' : 'error.login'));
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void verify(code);
  };
  return (
    <CenteredPanel>
      <PageHeading
        align="center"
        takesFocus={false}
        lead={
          <>
            {t('verify.lead')}{' '}
            <span className={classes.email}>
              <EmailText email={email} />
            </span>
          </>
        }
      >
        {t('verify.title')}
      </PageHeading>
      <form className={classes.form} onSubmit={submit}>
        <CodeField
          value={code}
          error={isCodeOver(sent, now) ? t('verify.over') : incorrect ? t('verify.incorrect') : undefined}
          disabled={busy}
          onChange={(value) => {
            setCode(value);
            if (value !== '') setIncorrect(false);
          }}
          onComplete={(value) => void verify(value)}
        />
        <Button type="submit" size="md" fullWidth disabled={!isAuthCode(code)} loading={busy}>
          {t('verify.submit')}
        </Button>
      </form>
      <div className={classes.more}>
        <ResendCode
          sent={sent}
          now={now}
          onSent={(newAuthId) => {
            // The user has left meanwhile, and may be typing another address.
            if (location.pathname !== verifyPathname) return;
            void navigate(verifyPath({ email, authId: newAuthId, next }), { replace: true, state });
          }}
        />
        <Button
          component={Link}
          // Somebody else is only signed in after whoever still is.
          to={signedIn ? '/logout' : '/login'}
          variant="subtle"
          size="compact-sm"
          onClick={(event) => {
            if (!canGoBack || signedIn) return;
            event.preventDefault();
            void navigate(-1);
          }}
        >
          {t('verify.changeEmail')}
        </Button>
      </div>
    </CenteredPanel>
  );
}

function isWrongCode(failure: ApiFailure): boolean {
  return failure.kind === 'service' && failure.code === apiCode.invalid;
}
