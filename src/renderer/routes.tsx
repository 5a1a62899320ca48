import { createBrowserRouter, Navigate, type RouteObject } from 'react-router-dom';
import { RequireSession } from './features/session/require-session.tsx';
import type { AppDescription } from './platform/host-context.tsx';
import type { RouteHandle } from './ui/breadcrumbs.tsx';
import { CrashPage } from './ui/crash-page.tsx';
import { sections } from './ui/sections.ts';
import { Shell } from './ui/shell.tsx';

/** Every route of specification §2 that exists so far. What an app cannot do leads back to /. */
export function createRouter(app: AppDescription): ReturnType<typeof createBrowserRouter> {
  return createBrowserRouter([
    {
      element: <Shell />,
      errorElement: <CrashPage />,
      // The frame is drawn before the first page has arrived; nothing is better than a flash of something.
      hydrateFallbackElement: <></>,
      children: [
        {
          path: '/login',
          lazy: async () => ({ Component: (await import('./features/sign-in/login-page.tsx')).LoginPage }),
        },
        {
          path: '/auth-verify',
          lazy: async () => ({ Component: (await import('./features/sign-in/verify-page.tsx')).VerifyPage }),
        },
        { element: <RequireSession />, children: signedInRoutes(app) },
        {
          path: '*',
          lazy: async () => ({
            Component: (await import('./features/not-found/not-found-page.tsx')).NotFoundPage,
          }),
        },
      ],
    },
  ]);
}

function signedInRoutes(app: AppDescription): RouteObject[] {
  return [
    { path: '/', element: <Navigate to="/dashboard" replace /> },
    {
      path: '/dashboard',
      handle: { crumb: 'shell.dashboard' } satisfies RouteHandle,
      lazy: async () => ({ Component: (await import('./features/account/account-page.tsx')).AccountPage }),
    },
    app.hasTunnel
      ? {
          path: '/vpn',
          lazy: async () => ({
            Component: (await import('./features/connect/connect-page.tsx')).ConnectPage,
          }),
        }
      : { path: '/vpn', element: <Navigate to="/" replace /> },
    {
      path: '/logout',
      handle: { crumb: 'account.signOut' } satisfies RouteHandle,
      lazy: async () => ({ Component: (await import('./features/sign-out/logout-page.tsx')).LogoutPage }),
    },
    {
      path: '/purchase',
      handle: { crumb: 'section.purchase' } satisfies RouteHandle,
      lazy: async () => ({ Component: (await import('./features/purchase/purchase-page.tsx')).PurchasePage }),
    },
    ...(app.kind === 'web' ? desktopOnlyRoutes() : []),
  ];
}

function desktopOnlyRoutes(): RouteObject[] {
  return sections
    .filter(({ desktopOnly }) => desktopOnly)
    .map(({ path, title }) => ({
      path,
      handle: { crumb: title } satisfies RouteHandle,
      lazy: async () => {
        const { DesktopOnlyPage } = await import('./features/notice/desktop-only-page.tsx');
        return { element: <DesktopOnlyPage section={title} /> };
      },
    }));
}
