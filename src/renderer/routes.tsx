import { lazy } from 'react';
import { Navigate, useRoutes } from 'react-router-dom';
import { RequireSession } from './features/session/require-session.tsx';
import { manageRoutes } from './manage-routes.tsx';
import { useApp } from './platform/host-context.tsx';
import { Shell } from './ui/shell.tsx';

const LoginPage = lazy(async () => ({
  default: (await import('./features/sign-in/login-page.tsx')).LoginPage,
}));
const VerifyPage = lazy(async () => ({
  default: (await import('./features/sign-in/verify-page.tsx')).VerifyPage,
}));
const AccountPage = lazy(async () => ({
  default: (await import('./features/account/account-page.tsx')).AccountPage,
}));
const ConnectPage = lazy(async () => ({
  default: (await import('./features/connect/connect-page.tsx')).ConnectPage,
}));
const LogoutPage = lazy(async () => ({
  default: (await import('./features/sign-out/logout-page.tsx')).LogoutPage,
}));
const PurchasePage = lazy(async () => ({
  default: (await import('./features/purchase/purchase-page.tsx')).PurchasePage,
}));
const NotFoundPage = lazy(async () => ({
  default: (await import('./features/not-found/not-found-page.tsx')).NotFoundPage,
}));

/** Every route of specification §2 that exists so far. What an app cannot do leads back to /. */
export function AppRoutes() {
  const { kind, hasTunnel } = useApp();
  return useRoutes([
    {
      element: <Shell />,
      children: [
        { path: '/login', element: <LoginPage /> },
        { path: '/auth-verify', element: <VerifyPage /> },
        {
          element: <RequireSession />,
          children: [
            { path: '/', element: <Navigate to="/dashboard" replace /> },
            { path: '/dashboard', element: <AccountPage /> },
            { path: '/vpn', element: hasTunnel ? <ConnectPage /> : <Navigate to="/" replace /> },
            { path: '/logout', element: <LogoutPage /> },
            { path: '/purchase', element: <PurchasePage /> },
            ...manageRoutes(kind),
          ],
        },
        { path: '*', element: <NotFoundPage /> },
      ],
    },
  ]);
}
