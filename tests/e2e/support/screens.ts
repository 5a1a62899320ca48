import type { Page } from 'playwright/test';
import { AccountRoute } from '../routes/account-route.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { LogoutRoute } from '../routes/logout-route.ts';
import { NotFoundRoute } from '../routes/not-found-route.ts';
import type { Route } from '../routes/route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { WebNoticeRoute, webNoticePaths } from '../routes/web-notice-route.ts';
import type { TextLanguage } from './texts.ts';

export interface Screen {
  readonly name: string;
  readonly route: Route;
  readonly query?: string;
}

/** Screens that anybody can see. */
export function publicScreens(page: Page, language: TextLanguage): Screen[] {
  return [
    { name: 'login', route: new LoginRoute(page, language) },
    {
      name: 'auth-verify',
      route: new VerifyRoute(page, language),
      query: '?email=person%40example.com&authId=00000000-0000-4000-8000-000000000000',
    },
    { name: 'not-found', route: new NotFoundRoute(page, language) },
  ];
}

/** Screens of the desktop app for which somebody has to be signed in. */
export function desktopScreens(page: Page, language: TextLanguage): Screen[] {
  return [
    { name: 'dashboard', route: new AccountRoute(page, language) },
    { name: 'connect', route: new ConnectRoute(page, language) },
    { name: 'logout', route: new LogoutRoute(page, language) },
  ];
}

/** Screens of the web console for which somebody has to be signed in. */
export function webScreens(page: Page, language: TextLanguage): Screen[] {
  return [
    { name: 'dashboard', route: new AccountRoute(page, language) },
    ...webNoticePaths.map((path) => ({
      name: `notice${path.replaceAll('/', '-')}`,
      route: new WebNoticeRoute(page, path, language),
    })),
    { name: 'logout', route: new LogoutRoute(page, language) },
  ];
}
