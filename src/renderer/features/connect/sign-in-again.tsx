import { Button } from '@mantine/core';
import type { RefCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { User } from '#shared/entities.ts';
import { useCodeFor } from '../sign-in/use-code-for.ts';
import { overOrigin, verifyPath } from '../sign-in/verify-path.ts';

interface SignInAgainProps {
  ref?: RefCallback<HTMLElement>;
  user: User | undefined;
}

/** Asks for a code that is mailed to the user's own address: until it is typed, they stay signed in as they are. */
export function SignInAgain({ ref, user }: SignInAgainProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const code = useCodeFor();
  const askForCode = async () => {
    if (code.busy) return;
    if (!user) {
      void navigate('/logout');
      return;
    }
    const { email } = user;
    // Whoever has been away to read the mail has a code.
    const authId = await code.get(email, { isAnyGood: true });
    // The user has left meanwhile.
    if (authId === undefined || location.pathname !== '/vpn') return;
    void navigate(verifyPath({ email, authId, next: '/vpn' }), { state: overOrigin });
  };
  return (
    // Never `disabled`, because it would lose the focus.
    <Button
      ref={ref}
      size="lg"
      fullWidth
      data-disabled={code.busy || undefined}
      aria-disabled={code.busy || undefined}
      onClick={({ detail: clicks }) => clicks < 2 && void askForCode()}
    >
      {t('connect.signInAgain')}
    </Button>
  );
}
