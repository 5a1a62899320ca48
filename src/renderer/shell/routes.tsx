import { Navigate, useLocation, useRoutes } from 'react-router-dom';
import { startPages, type StartPage } from '#shared/start-pages.ts';
import { HomeRedirect } from '../features/account/home-redirect.tsx';
import type { DeviceLogin } from '../features/device-login/take-device-login.ts';
import { RequireSession } from '../features/session/require-session.tsx';
import { manageRoutes } from './manage-routes.tsx';
import { useApp } from '../platform/host-context.tsx';
import { purchaseRoutes } from './purchase-routes.tsx';
import { lazyComponent } from '../ui/lazy-component.ts';
import { lazyPage } from '../ui/lazy-page.ts';
import { loadAllTexts } from '../i18n/setup.ts';
import { Main } from '../ui/main-landmark.tsx';
import { Shell } from './shell.tsx';
import { storeLinks, storeRoutes } from './store-routes.tsx';
import type { HandOver } from '../features/store/take-hand-over.ts';

const LoginPage = lazyComponent(async () => (await import('../features/sign-in/login-page.tsx')).LoginPage);
const VerifyPage = lazyComponent(
  async () => (await import('../features/sign-in/verify-page.tsx')).VerifyPage,
);
const AccountPage = lazyPage(async () => (await import('../features/account/account-page.tsx')).AccountPage);
const ConnectPage = lazyPage(async () => (await import('../features/connect/connect-page.tsx')).ConnectPage);
const MiniAppsPage = lazyPage(
  async () => (await import('../features/mini-apps/mini-apps-page.tsx')).MiniAppsPage,
);
const LogoutPage = lazyPage(async () => (await import('../features/sign-out/logout-page.tsx')).LogoutPage);
const DeviceLoginPage = lazyPage(
  async () => (await import('../features/device-login/device-login-page.tsx')).DeviceLoginPage,
);
const QuickStartPage = lazyPage(
  async () => (await import('../features/purchase/quick-start-page.tsx')).QuickStartPage,
);
const AboutPage = lazyPage(async () => (await import('../features/about/about-page.tsx')).AboutPage);
const SelfDeletePage = lazyPage(
  async () => (await import('../features/self-delete/self-delete-page.tsx')).SelfDeletePage,
);
const SettingsPage = lazyPage(
  async () => (await import('../features/settings/settings-page.tsx')).SettingsPage,
);
const LicencesPage = lazyPage(
  async () => (await import('../features/settings/licences-page.tsx')).LicencesPage,
);
const SandboxPage = lazyPage(async () => (await import('../features/wordgate/sandbox-page.tsx')).SandboxPage);
const ConnectionLogPage = lazyPage(
  async () => (await import('../features/problem-report/connection-log-page.tsx')).ConnectionLogPage,
);
const ReportPage = lazyPage(
  async () => (await import('../features/problem-report/report-page.tsx')).ReportPage,
);
const NotFoundPage = lazyPage(
  async () => (await import('../features/not-found/not-found-page.tsx')).NotFoundPage,
);

const pages = { account: AccountPage, login: LoginPage, verify: VerifyPage } satisfies Record<
  StartPage,
  unknown
>;
const startPageOf = new Map<string, StartPage>(Object.entries(startPages));

/** Loads the page of an address that people come to, at the same time as what is needed to show any page. */
export async function preloadPage(pathname: string): Promise<void> {
  const page = startPageOf.get(pathname);
  if (!page) await loadAllTexts().catch(() => undefined);
  else await pages[page].preload();
}

interface AppRoutesProps {
  deviceLogin: DeviceLogin | undefined;
  handOver: HandOver;
}

/** Every page has one address: with a slash at its end it would be another one to all that goes by the path. */
export function AppRoutes(props: AppRoutesProps) {
  const location = useLocation();
  const pathname = location.pathname.replace(/(?<=.)\/+$/, '');
  return pathname === location.pathname ? (
    <PageRoutes {...props} />
  ) : (
    <Navigate to={{ ...location, pathname }} replace state={location.state} />
  );
}

/** The routes of specification §2. What an app cannot do leads back to /. */
function PageRoutes({ deviceLogin, handOver }: AppRoutesProps) {
  const { kind, hasTunnel } = useApp();
  return useRoutes([
    {
      element: <Shell />,
      children: [
        { path: '/login', element: <LoginPage /> },
        { path: '/auth-verify', element: <VerifyPage /> },
        { path: '/device-login', element: <DeviceLoginPage login={deviceLogin} /> },
        { path: '/quick-start', element: <QuickStartPage /> },
        { path: '/about-us', element: <AboutPage /> },
        {
          path: '/settings/problem-report',
          element: kind === 'desktop' ? <ReportPage /> : <Navigate to="/" replace />,
        },
        {
          element: <RequireSession />,
          children: [
            { path: '/', element: <HomeRedirect /> },
            { path: '/dashboard', element: <AccountPage /> },
            { path: '/vpn', element: hasTunnel ? <ConnectPage /> : <Navigate to="/" replace /> },
            { path: '/mini-apps', element: kind === 'web' ? <Navigate to="/" replace /> : <MiniAppsPage /> },
            {
              path: '/settings/connection-log',
              element: kind === 'desktop' ? <ConnectionLogPage /> : <Navigate to="/" replace />,
            },
            { path: '/settings', element: <SettingsPage /> },
            { path: '/settings/licences', element: <LicencesPage /> },
            { path: '/logout', element: <LogoutPage /> },
            { path: '/self-delete', element: <SelfDeletePage /> },
            ...purchaseRoutes,
            ...manageRoutes(kind),
          ],
        },
        ...(kind === 'web' ? storeRoutes(handOver) : storeLinks),
        { path: '*', element: <NotFoundPage /> },
      ],
    },
    { element: <Main />, children: [{ path: '/wordgate/pay/:id', element: <SandboxPage /> }] },
  ]);
}
