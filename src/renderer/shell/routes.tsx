import { lazy } from 'react';
import { Navigate, useRoutes } from 'react-router-dom';
import { startPages, type StartPage } from '#shared/start-pages.ts';
import { HomeRedirect } from '../features/account/home-redirect.tsx';
import type { DeviceLogin } from '../features/device-login/take-device-login.ts';
import { RequireSession } from '../features/session/require-session.tsx';
import { lazyPage } from './lazy-page.ts';
import { manageRoutes } from './manage-routes.tsx';
import { useApp } from '../platform/host-context.tsx';
import { purchaseRoutes } from './purchase-routes.tsx';
import { Shell } from './shell.tsx';

const LoginPage = lazyPage(async () => (await import('../features/sign-in/login-page.tsx')).LoginPage);
const VerifyPage = lazyPage(async () => (await import('../features/sign-in/verify-page.tsx')).VerifyPage);
const AccountPage = lazyPage(async () => (await import('../features/account/account-page.tsx')).AccountPage);
const ConnectPage = lazy(async () => ({
  default: (await import('../features/connect/connect-page.tsx')).ConnectPage,
}));
const MiniAppsPage = lazy(async () => ({
  default: (await import('../features/mini-apps/mini-apps-page.tsx')).MiniAppsPage,
}));
const LogoutPage = lazy(async () => ({
  default: (await import('../features/sign-out/logout-page.tsx')).LogoutPage,
}));
const DeviceLoginPage = lazy(async () => ({
  default: (await import('../features/device-login/device-login-page.tsx')).DeviceLoginPage,
}));
const QuickStartPage = lazy(async () => ({
  default: (await import('../features/purchase/quick-start-page.tsx')).QuickStartPage,
}));
const AboutPage = lazy(async () => ({
  default: (await import('../features/about/about-page.tsx')).AboutPage,
}));
const SelfDeletePage = lazy(async () => ({
  default: (await import('../features/self-delete/self-delete-page.tsx')).SelfDeletePage,
}));
const NotFoundPage = lazy(async () => ({
  default: (await import('../features/not-found/not-found-page.tsx')).NotFoundPage,
}));

const pages = { account: AccountPage, login: LoginPage, verify: VerifyPage } satisfies Record<
  StartPage,
  unknown
>;
const startPageOf = new Map<string, StartPage>(Object.entries(startPages));

/** Loads the page of an address that people come to, at the same time as what is needed to show any page. */
export async function preloadPage(pathname: string): Promise<void> {
  const page = startPageOf.get(pathname);
  if (page) await pages[page].preload();
}

/** Every route of specification §2. What an app cannot do leads back to /. */
export function AppRoutes({ deviceLogin }: { deviceLogin: DeviceLogin | undefined }) {
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
          element: <RequireSession />,
          children: [
            { path: '/', element: <HomeRedirect /> },
            { path: '/dashboard', element: <AccountPage /> },
            { path: '/vpn', element: hasTunnel ? <ConnectPage /> : <Navigate to="/" replace /> },
            { path: '/mini-apps', element: kind === 'web' ? <Navigate to="/" replace /> : <MiniAppsPage /> },
            { path: '/logout', element: <LogoutPage /> },
            { path: '/self-delete', element: <SelfDeletePage /> },
            ...purchaseRoutes,
            ...manageRoutes(kind),
          ],
        },
        { path: '*', element: <NotFoundPage /> },
      ],
    },
  ]);
}
