import type { Page } from 'playwright/test';
import { AboutRoute } from '../routes/about-route.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { AddMemberRoute } from '../routes/add-member-route.ts';
import { CreateAppRoute, EditAppRoute } from '../routes/app-form-route.ts';
import { AppsRoute } from '../routes/apps-route.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { DevicesRoute } from '../routes/devices-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { LogoutRoute } from '../routes/logout-route.ts';
import { MembersRoute } from '../routes/members-route.ts';
import { MiniAppsRoute } from '../routes/mini-apps-route.ts';
import { MyServiceRoute } from '../routes/my-service-route.ts';
import { NotConfirmedRoute } from '../routes/not-confirmed-route.ts';
import { NotFoundRoute } from '../routes/not-found-route.ts';
import { OrdersRoute } from '../routes/orders-route.ts';
import { PayOrderRoute } from '../routes/pay-order-route.ts';
import { PurchaseRoute } from '../routes/purchase-route.ts';
import { RedeemRoute } from '../routes/redeem-route.ts';
import type { Route } from '../routes/route.ts';
import { SelfDeleteRoute } from '../routes/self-delete-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { WebNoticeRoute, webNoticePaths } from '../routes/web-notice-route.ts';
import type { FilledAccount } from './filled-account.ts';
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
    { name: 'about-us', route: new AboutRoute(page, language) },
  ];
}

/** Screens of every host for which somebody has to be signed in. */
function accountScreens(page: Page, language: TextLanguage, account: FilledAccount): Screen[] {
  return [
    { name: 'dashboard', route: new AccountRoute(page, language) },
    { name: 'redeem', route: new RedeemRoute(page, language) },
    { name: 'confirmed', route: new ConfirmRoute(page, language), query: `?order_id=${account.paidOrder}` },
    { name: 'not-confirmed', route: new NotConfirmedRoute(page, language), query: '?order_id=none' },
    { name: 'self-delete', route: new SelfDeleteRoute(page, language) },
    { name: 'logout', route: new LogoutRoute(page, language) },
  ];
}

/** Screens of the desktop app for which somebody has to be signed in. */
export function desktopScreens(page: Page, language: TextLanguage, account: FilledAccount): Screen[] {
  return [
    ...accountScreens(page, language, account),
    { name: 'connect', route: new ConnectRoute(page, language) },
    { name: 'mini-apps', route: new MiniAppsRoute(page, language) },
    { name: 'purchase', route: new PurchaseRoute(page, language) },
    { name: 'pay-order', route: new PayOrderRoute(page, language), query: `?orderId=${account.unpaidOrder}` },
    { name: 'my-service', route: new MyServiceRoute(page, language) },
    { name: 'devices', route: new DevicesRoute(page, language) },
    { name: 'orders', route: new OrdersRoute(page, language) },
    { name: 'members', route: new MembersRoute(page, language) },
    { name: 'add-member', route: new AddMemberRoute(page, language) },
    { name: 'apps', route: new AppsRoute(page, language) },
    { name: 'create-app', route: new CreateAppRoute(page, language) },
    { name: 'edit-app', route: new EditAppRoute(page, language), query: `/${account.appId}` },
  ];
}

/** Screens of the web console for which somebody has to be signed in. */
export function webScreens(page: Page, language: TextLanguage, account: FilledAccount): Screen[] {
  return [
    ...accountScreens(page, language, account),
    ...webNoticePaths.map((path) => ({
      name: `notice${path.replaceAll('/', '-')}`,
      route: new WebNoticeRoute(page, path, language),
    })),
    { name: 'add-member', route: new AddMemberRoute(page, language) },
    { name: 'create-app', route: new CreateAppRoute(page, language) },
  ];
}
