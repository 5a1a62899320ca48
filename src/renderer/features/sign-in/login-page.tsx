import { Suspense, useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation, useNavigate } from 'react-router-dom';
import { readEmail } from '#shared/typed-text.ts';
import { isEmail } from '#shared/validation.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { whileVisible } from '../../platform/while-visible.ts';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { lazyComponent } from '../../ui/loading/lazy-component.ts';
import { Logo } from '../../ui/pictures/logo.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PlainButton, PlainButtonLink } from '../../ui/buttons/plain-button.tsx';
import { useNow } from '../../ui/time/use-now.ts';
import { withMantine } from '../../ui/theme/with-mantine.tsx';
import { returnPath } from '../session/return-path.ts';
import { useSession } from '../session/session-context.tsx';
import { isCodeOver, wasSentTo } from './sent-code.ts';
import classes from './sign-in.module.css';
import { useCodeFor } from './use-code-for.ts';
import { useSentCode } from './use-sent-code.ts';
import { overOrigin, verifyPath } from './verify-path.ts';
import { EmailField } from './email-field.tsx';

/** The web console has no tunnel, and does not load texts about one. */
const HeldTrafficNotice = lazyComponent(
  withMantine(async () => (await import('../tunnel/held-traffic-notice.tsx')).HeldTrafficNotice),
);

export function LoginPage() {
  const { t } = useTranslation();
  const host = useHost();
  const app = useApp();
  const navigate = useNavigate();
  const location = useLocation();
  const { signedIn } = useSession();
  const code = useCodeFor();
  const lastSent = useSentCode();
  const now = useNow(1);
  const [typed, setTyped] = useState('');
  const email = readEmail(typed);
  const [left, setLeft] = useState(false);
  const field = useRef<HTMLInputElement>(null);

  // The page's one field: the user can type at once.
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    void host.storage.get(storageKeys.lastEmail).then((last) => {
      if (last === null || field.current?.value !== '') return;
      field.current.value = last;
      setTyped(last);
    });
  }, [host]);
  // Some password managers fill it in without an event.
  useEffect(() => {
    const look = () => setTyped(field.current?.value ?? '');
    return whileVisible({ everyMs: 1000, action: look });
  }, []);

  if (signedIn) {
    // Users who were not sent here have not just signed in (specification §2).
    const to = location.state === null ? '/dashboard' : returnPath(location.state, app);
    return <Navigate to={to} replace />;
  }

  const valid = isEmail(email);
  const sent = lastSent && wasSentTo(lastSent, email) ? lastSent : undefined;
  const hasCode = sent !== undefined && !isCodeOver(sent, now);
  const pathOf = (authId: string) => verifyPath({ email, authId, next: returnPath(location.state, app) });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!valid || code.busy) return;
    const authId = await code.get(email);
    if (authId !== undefined) void navigate(pathOf(authId), { state: overOrigin });
  };
  return (
    <CenteredPanel>
      <div className={classes.brand}>
        <Logo size={52} withName={false} />
      </div>
      <PageHeading align="center" lead={t('login.lead')} takesFocus={false}>
        {t('login.title')}
      </PageHeading>
      {app.hasTunnel && (
        <Suspense>
          <HeldTrafficNotice onUnblock={() => field.current?.focus()} />
        </Suspense>
      )}
      <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
        <EmailField
          ref={field}
          onType={setTyped}
          onLeave={() => setLeft(true)}
          isInvalid={left && email !== '' && !valid}
        />
        <PlainButton type="submit" size="md" isWide disabled={!valid} isBusy={code.busy}>
          {t('login.continue')}
        </PlainButton>
        {hasCode && (
          <PlainButtonLink to={pathOf(sent.authId)} state={overOrigin} variant="subtle" size="compact">
            {t('login.haveCode')}
          </PlainButtonLink>
        )}
      </form>
      {app.kind === 'web' && (
        <p className={classes.small}>{t('login.version', { version: app.device.version })}</p>
      )}
    </CenteredPanel>
  );
}
