import { Navigate, useLocation, useRoutes } from 'react-router-dom';
import { canonicalPath } from '#shared/console-paths.ts';
import { startPages, type StartPage } from '#shared/start-pages.ts';
import { HomeRedirect } from '../features/account/home-redirect.tsx';
import { RequireSession } from '../features/session/require-session.tsx';
import { lazyComponent } from '../ui/loading/lazy-component.ts';
import { lazyPage } from '../ui/loading/lazy-page.ts';
import { withMantine } from '../ui/theme/with-mantine.tsx';
import { loadAllTexts } from '../i18n/setup.ts';
import { Main } from '../ui/pages/main-landmark.tsx';
import { Shell } from './shell.tsx';
import type { OtherRoutesProps } from './other-routes.tsx';

const LoginPage = lazyComponent(async () => (await import('../features/sign-in/login-page.tsx')).LoginPage);
const VerifyPage = lazyComponent(
  withMantine(async () => (await import('../features/sign-in/verify-page.tsx')).VerifyPage),
);
/** Pages that people do not open first. */
const OtherRoutes = lazyComponent(async () => (await import('./other-routes.tsx')).OtherRoutes);
/** This page links to the others, so users do not wait for their code as well. */
const AccountPage = lazyPage(async () => {
  const [{ AccountPage: Page }] = await Promise.all([
    import('../features/account/account-page.tsx'),
    OtherRoutes.preload(),
  ]);
  return Page;
});
const SandboxPage = lazyPage(async () => (await import('../features/wordgate/sandbox-page.tsx')).SandboxPage);

const pages = { account: AccountPage, login: LoginPage, verify: VerifyPage } satisfies Record<
  StartPage,
  unknown
>;
const startPageOf = new Map<string, StartPage>(Object.entries(startPages));

/** Loads the page of an address that people open directly, in parallel with what every page needs. */
export async function preloadPage(pathname: string): Promise<void> {
  const page = startPageOf.get(canonicalPath(pathname));
  if (!page) await Promise.all([loadAllTexts().catch(() => undefined), OtherRoutes.preload()]);
  else await pages[page].preload();
}

/** Every page has one address, so that everything that depends on the path sees the same page as the router. */
export function AppRoutes(props: OtherRoutesProps) {
  const location = useLocation();
  const pathname = canonicalPath(location.pathname);
  return pathname === location.pathname ? (
    <PageRoutes {...props} />
  ) : (
    <Navigate to={{ ...location, pathname }} replace state={location.state} />
  );
}

/** The routes of specification §2. Pages that an app does not support redirect to /. */
function PageRoutes(props: OtherRoutesProps) {
  return useRoutes([
    {
      element: <Shell />,
      children: [
        { path: '/login', element: <LoginPage /> },
        { path: '/auth-verify', element: <VerifyPage /> },
        {
          element: <RequireSession />,
          children: [
            { path: '/', element: <HomeRedirect /> },
            { path: '/dashboard', element: <AccountPage /> },
          ],
        },
        { path: '*', element: <OtherRoutes {...props} /> },
      ],
    },
    { element: <Main isAlone />, children: [{ path: '/wordgate/pay/:id', element: <SandboxPage /> }] },
  ]);
}
