import { useMediaQuery } from '@mantine/hooks';
import { IconLayoutGrid, IconRoute, IconSettings, IconUserCircle } from '@tabler/icons-react';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { GatewayForms } from '../features/gateway-form/gateway-forms.tsx';
import { TrialEnd } from '../features/tunnel/trial-end.tsx';
import { useSession } from '../features/session/session-context.tsx';
import { useApp } from '../platform/host-context.tsx';
import { whenIdle } from '../platform/when-idle.ts';
import { lazyComponent } from '../ui/loading/lazy-component.ts';
import { ErrorBoundary } from '../ui/pages/error-boundary.tsx';
import { Main } from '../ui/pages/main-landmark.tsx';
import classes from './native-layout.module.css';
import { Link } from '../ui/text/link.tsx';

const UpdateNotice = lazyComponent(
  async () => (await import('../features/updates/update-notice.tsx')).UpdateNotice,
);

/** The frame of the apps' pages: a tab bar, beside the page or below it, once somebody is signed in. */
export function NativeLayout() {
  const { kind, hasTunnel } = useApp();
  const { signedIn } = useSession();
  return (
    <div className={classes.layout}>
      {signedIn && <TabBar />}
      <Main>{kind === 'desktop' && <LaterUpdateNotice />}</Main>
      {signedIn && hasTunnel && <TrialEnd />}
      {hasTunnel && <GatewayForms />}
    </div>
  );
}

/** Nobody waits for it: it is loaded once the page is there, and if that fails, nothing is lost. */
function LaterUpdateNotice() {
  const [isDue, setDue] = useState(false);
  useEffect(() => whenIdle(() => setDue(true)), []);
  return (
    isDue && (
      <ErrorBoundary fallback={null}>
        <Suspense>
          <UpdateNotice />
        </Suspense>
      </ErrorBoundary>
    )
  );
}

function TabBar() {
  const { t } = useTranslation();
  const { hasTunnel } = useApp();
  const { pathname } = useLocation();
  const isWithin = (tab: string) => pathname === tab || pathname.startsWith(`${tab}/`);
  const current = (tab: string) => (isWithin(tab) ? ('page' as const) : undefined);
  // Where the tab bar is beside the page; the styles say the same.
  const hasSettingsTab = useMediaQuery('(min-width: 48em)') ?? true;
  // All pages without an entry of their own belong to the account.
  const otherTabs = ['/vpn', '/mini-apps', ...(hasSettingsTab ? ['/settings'] : [])];
  const below = otherTabs.some(isWithin) ? undefined : true;
  return (
    <nav aria-label={t('shell.mainNavigation')} className={classes.tabs}>
      {hasTunnel && (
        <Link to="/vpn" className={classes.tab} aria-current={current('/vpn')}>
          <IconRoute size={22} stroke={1.8} aria-hidden />
          {t('section.connect')}
        </Link>
      )}
      <Link to="/mini-apps" className={classes.tab} aria-current={current('/mini-apps')}>
        <IconLayoutGrid size={22} stroke={1.8} aria-hidden />
        {t('section.miniApps')}
      </Link>
      <Link to="/dashboard" className={classes.tab} aria-current={pathname === '/dashboard' ? 'page' : below}>
        <IconUserCircle size={22} stroke={1.8} aria-hidden />
        {t('section.account')}
      </Link>
      {/* Not a tab of its own: without room beside the page, the account page links to it. */}
      <Link
        to="/settings"
        className={`${classes.tab} ${classes.settings}`}
        aria-current={current('/settings')}
      >
        <IconSettings size={22} stroke={1.8} aria-hidden />
        {t('section.settings')}
      </Link>
    </nav>
  );
}
