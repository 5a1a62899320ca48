import { Navigate, useRoutes } from 'react-router-dom';
import type { DeviceLogin } from '../features/device-login/take-device-login.ts';
import { RequireSession } from '../features/session/require-session.tsx';
import type { HandOver } from '../features/store/take-hand-over.ts';
import { useApp } from '../platform/host-context.tsx';
import { lazyPage } from '../ui/loading/lazy-page.ts';
import { manageRoutes } from './manage-routes.tsx';
import { purchaseRoutes } from './purchase-routes.tsx';
import { storeLinks, storeRoutes } from './store-routes.tsx';

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
const ConnectionLogPage = lazyPage(
  async () => (await import('../features/problem-report/connection-log-page.tsx')).ConnectionLogPage,
);
const ReportPage = lazyPage(
  async () => (await import('../features/problem-report/report-page.tsx')).ReportPage,
);
const NotFoundPage = lazyPage(
  async () => (await import('../features/not-found/not-found-page.tsx')).NotFoundPage,
);

export interface OtherRoutesProps {
  deviceLogin: DeviceLogin | undefined;
  handOver: HandOver;
}

/** The routes that are not in routes.tsx: the first pages do not load the code for these. */
export function OtherRoutes({ deviceLogin, handOver }: OtherRoutesProps) {
  const { kind, hasTunnel } = useApp();
  return useRoutes([
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
  ]);
}
