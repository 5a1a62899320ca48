import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { expect, type Locator, type Page } from 'playwright/test';
import { AboutRoute } from '../../routes/frame/about-route.ts';
import { AccountRoute } from '../../routes/account/account-route.ts';
import { AddMemberRoute } from '../../routes/manage/add-member-route.ts';
import { CreateMiniAppRoute, EditMiniAppRoute } from '../../routes/manage/mini-app-form-route.ts';
import { ManageMiniAppsRoute } from '../../routes/manage/manage-mini-apps-route.ts';
import { ConfirmRoute } from '../../routes/store/confirm-route.ts';
import { ConnectionLogRoute } from '../../routes/desktop/connection-log-route.ts';
import { ConnectRoute } from '../../routes/connect/connect-route.ts';
import { DevicesRoute } from '../../routes/manage/devices-route.ts';
import { LoginRoute } from '../../routes/account/login-route.ts';
import { LogoutRoute } from '../../routes/account/logout-route.ts';
import { MembersRoute } from '../../routes/manage/members-route.ts';
import { MembershipCards } from '../../routes/account/membership-cards.ts';
import { MiniAppsRoute } from '../../routes/desktop/mini-apps-route.ts';
import { MyServiceRoute } from '../../routes/account/my-service-route.ts';
import { NotConfirmedRoute } from '../../routes/store/not-confirmed-route.ts';
import { NotFoundRoute } from '../../routes/frame/not-found-route.ts';
import { OrdersRoute } from '../../routes/manage/orders-route.ts';
import { PayOrderRoute } from '../../routes/store/pay-order-route.ts';
import { PayerOnlyRoute } from '../../routes/manage/payer-only-route.ts';
import { PurchaseRoute } from '../../routes/store/purchase-route.ts';
import { QuickStartRoute } from '../../routes/store/quick-start-route.ts';
import { RedeemRoute } from '../../routes/account/redeem-route.ts';
import { ReportRoute } from '../../routes/desktop/report-route.ts';
import type { Route } from '../../routes/route.ts';
import { SelfDeleteRoute } from '../../routes/account/self-delete-route.ts';
import { SettingsRoute } from '../../routes/desktop/settings-route.ts';
import { VerifyRoute } from '../../routes/account/verify-route.ts';
import { WebNoticeRoute, webNoticePaths } from '../../routes/frame/web-notice-route.ts';
import type { WebviewApp } from '../../webview/webview-app.ts';
import type { FilledAccount } from '../service/filled-account.ts';
import {
  accountMistakes,
  askingScreens,
  crashScreen,
  cropScreen,
  deviceLoginScreens,
  noteScreen,
  offlineScreen,
  publicMistakes,
  selfDeleteScreens,
  verifyQuery,
} from './screen-states.ts';
import { chooserScreens } from './server-list-screens.ts';
import { tunnelScreens } from './tunnel-screens.ts';
import { texts, type TextLanguage } from './texts.ts';

export interface Screen {
  readonly name: string;
  readonly route: Route;
  readonly query?: string;
  /** What has to be so before it is opened. */
  readonly prepare?: () => Promise<unknown>;
  /** What its user does there until it looks like this; the page as it comes if absent. */
  readonly act?: () => Promise<void>;
  /** It is only to be had by reloading the page, in the place of following a link. */
  readonly loads?: boolean;
  /** What shows that it is there; the page's heading if absent. */
  readonly sees?: Locator;
  /** Puts back what would change later screens. */
  readonly leave?: () => Promise<void>;
}

/** Goes to a screen from any page of ours, and waits until everything on it is there. */
export async function openScreen(screen: Screen): Promise<void> {
  const { name, route, query, prepare, act, loads, sees } = screen;
  const { page, language } = route;
  await prepare?.();
  await (loads ? route.open(query) : route.follow(query));
  // What is reloaded may be there to show how it waits, or fails.
  if (!loads) await expect(route.heading, name).toBeVisible();
  await act?.();
  await expect(sees ?? route.heading, name).toBeVisible({ timeout: waitLimit(20_000) });
  if (!loads) {
    await expect(page.getByRole('status', { name: texts[language]['shell.loading'] }), name).toHaveCount(0);
  }
  await page.evaluate(() => document.fonts.ready);
}

/** Screens that anybody can see. */
export function publicScreens(page: Page, language: TextLanguage): Screen[] {
  return [
    { name: 'login', route: new LoginRoute(page, language) },
    {
      name: 'auth-verify',
      route: new VerifyRoute(page, language),
      query: verifyQuery,
    },
    { name: 'not-found', route: new NotFoundRoute(page, language) },
    { name: 'about-us', route: new AboutRoute(page, language) },
  ];
}

/** What else can be seen of the web console, and of every other host in the same way, before signing in. */
export function signedOutScreens(page: Page, language: TextLanguage): Screen[] {
  return [
    ...publicScreens(page, language),
    ...publicMistakes(page, language),
    ...deviceLoginScreens(page, language),
    crashScreen(page, language),
  ];
}

/** Screens of every host for which somebody has to be signed in. */
function accountScreens(page: Page, language: TextLanguage, account: FilledAccount): Screen[] {
  return [
    { name: 'dashboard', route: new AccountRoute(page, language) },
    { name: 'redeem', route: new RedeemRoute(page, language) },
    { name: 'confirmed', route: new ConfirmRoute(page, language), query: `?order_id=${account.paidOrder}` },
    {
      name: 'not-confirmed',
      route: new NotConfirmedRoute(page, language),
      query: '?order_id=none',
      // Without the toast of the one before it.
      loads: true,
    },
    { name: 'self-delete', route: new SelfDeleteRoute(page, language) },
    { name: 'logout', route: new LogoutRoute(page, language) },
    { name: 'settings', route: new SettingsRoute(page, language) },
  ];
}

/** What the desktop app says where the web console leaves for another page, before signing in. */
export function desktopPublicScreens(page: Page, language: TextLanguage): Screen[] {
  const quickStart = new QuickStartRoute(page, language);
  return [
    ...publicScreens(page, language),
    { name: 'quick-start', route: quickStart, sees: quickStart.outside },
  ];
}

/** Screens of the desktop app for which somebody has to be signed in. */
export function desktopScreens(page: Page, language: TextLanguage, account: FilledAccount): Screen[] {
  return [
    ...appScreens(page, language, account),
    { name: 'connection-log', route: new ConnectionLogRoute(page, language) },
    reportScreen(page, language),
  ];
}

/** Those that a phone's app has, too. */
export function appScreens(page: Page, language: TextLanguage, account: FilledAccount): Screen[] {
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
    { name: 'apps', route: new ManageMiniAppsRoute(page, language) },
    { name: 'create-app', route: new CreateMiniAppRoute(page, language) },
    editMiniApp(page, language, account),
    ...askingScreens(page, language),
  ];
}

function reportScreen(page: Page, language: TextLanguage): Screen {
  const route = new ReportRoute(page, language);
  return { name: 'problem-report', route, sees: route.contents };
}

const editMiniApp = (page: Page, language: TextLanguage, { miniAppId: appId }: FilledAccount): Screen => ({
  name: 'edit-app',
  route: new EditMiniAppRoute(page, language),
  query: `/${appId}`,
});

/** Screens of the web console for which somebody has to be signed in. */
export function webScreens(page: Page, language: TextLanguage, account: FilledAccount): Screen[] {
  return [
    ...accountScreens(page, language, account),
    ...webNoticePaths.map((path) => ({
      name: `notice${path.replaceAll('/', '-')}`,
      route: new WebNoticeRoute(page, path, language),
    })),
    { name: 'add-member', route: new AddMemberRoute(page, language) },
    { name: 'create-app', route: new CreateMiniAppRoute(page, language) },
    editMiniApp(page, language, account),
    ...accountMistakes(page, language),
    ...selfDeleteScreens(page, language),
    cropScreen(page, language),
    noteScreen(page, language),
    offlineScreen(page, language),
  ];
}

/** What a child member sees in the place of what it may not do. */
export function childScreens(page: Page, language: TextLanguage): Screen[] {
  const cards = new MembershipCards(page, language);
  return [
    { name: 'payer-only', route: new PayerOnlyRoute(page, '/members/add', language) },
    { name: 'membership', route: cards, sees: cards.membership },
    { name: 'membership-asking', route: cards, act: () => cards.leave.click(), sees: cards.dialog },
  ];
}

/** What somebody sees who is invited to a group. */
export function invitedScreens(page: Page, language: TextLanguage): Screen[] {
  const cards = new MembershipCards(page, language);
  return [{ name: 'invitation', route: cards, sees: cards.invitation }];
}

/**
 * What is not the same in a webview: what its app hands over to the system, and the states of a tunnel, which
 * the app of the tests can be in at once. The rest is the same bundle as on the desktop, at a phone's width.
 */
export function webviewScreens(page: Page, language: TextLanguage, app: WebviewApp): Screen[] {
  return [
    { name: 'dashboard', route: new AccountRoute(page, language) },
    { name: 'mini-apps', route: new MiniAppsRoute(page, language) },
    { name: 'purchase', route: new PurchaseRoute(page, language) },
    { name: 'connect', route: new ConnectRoute(page, language) },
    ...tunnelScreens(page, language, app),
  ];
}

/**
 * Those with dates, prices, countries, figures and long paragraphs, and those whose buttons are named for more than
 * they show.
 */
export function fewScreens(
  page: Page,
  language: TextLanguage,
  account: FilledAccount,
  app: WebviewApp,
): Screen[] {
  const tunnel = ['connected-details', 'connected-networks', 'problems-unfolded', 'certificate-required'];
  return [
    { name: 'dashboard', route: new AccountRoute(page, language) },
    { name: 'self-delete', route: new SelfDeleteRoute(page, language) },
    { name: 'settings', route: new SettingsRoute(page, language) },
    { name: 'devices', route: new DevicesRoute(page, language) },
    { name: 'orders', route: new OrdersRoute(page, language) },
    { name: 'members', route: new MembersRoute(page, language) },
    { name: 'apps', route: new ManageMiniAppsRoute(page, language) },
    editMiniApp(page, language, account),
    ...tunnelScreens(page, language, app).filter(({ name }) => tunnel.includes(name)),
  ];
}

/**
 * What `npm test` inspects: one screen of each kind, `signedOut` and those after it, at every width; and each other
 * page of a phone's app as it comes, at the narrowest.
 */
export function usualScreens(page: Page, language: TextLanguage, account: FilledAccount, app: WebviewApp) {
  const only = (screens: readonly Screen[], ...names: string[]) =>
    screens.filter(({ name }) => names.includes(name));
  const signedOut = only(signedOutScreens(page, language), 'login-mistake', 'auth-verify-mistake', 'crash');
  const signedIn = [
    ...only(appScreens(page, language, account), 'dashboard', 'my-service', 'members-asking'),
    ...only(accountMistakes(page, language), 'create-app-mistakes'),
  ];
  const tunnel = only(tunnelScreens(page, language, app), 'problems-unfolded');
  const seen = new Set([...signedOut, ...signedIn, ...tunnel].map(({ route }) => route.constructor));
  const otherPages = (screens: readonly Screen[]) =>
    screens.filter(({ route, act }) => !act && !seen.has(route.constructor));
  return {
    signedOut,
    otherPublic: otherPages(publicScreens(page, language)),
    signedIn,
    otherPages: otherPages(appScreens(page, language, account)),
    tunnel,
    choosers: only(chooserScreens(page, language, app), 'servers-long-names'),
  };
}
