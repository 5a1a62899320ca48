import { Button } from '@mantine/core';
import type { RefCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useUser } from '../session/use-user.ts';
import { useCodeFor } from '../sign-in/use-code-for.ts';
import { verifyPath } from '../sign-in/verify-path.ts';

/** Leads to the code for the user's own address; whoever does not type it stays signed in as they are. */
export function SignInAgain({ takesFocus }: { takesFocus: RefCallback<HTMLElement> | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: user } = useUser();
  const code = useCodeFor(user?.email ?? '');
  const begin = async () => {
    if (code.busy) return;
    if (user) {
      const authId = await code.get();
      if (authId !== undefined) void navigate(verifyPath({ email: user.email, authId, next: '/vpn' }));
    } else void navigate('/logout');
  };
  return (
    // Never `disabled`, because it would lose the focus.
    <Button
      ref={takesFocus}
      size="lg"
      fullWidth
      data-disabled={code.busy || undefined}
      aria-disabled={code.busy || undefined}
      onClick={() => void begin()}
    >
      {t('connect.signInAgain')}
    </Button>
  );
}
