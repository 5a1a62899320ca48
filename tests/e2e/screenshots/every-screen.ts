import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright';
import { expect, test } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { names } from '../../lab/network/addresses.ts';
import { createLab, type Lab } from '../../lab/lab.ts';
import { startNetworkManager } from '../../lab/desktop/network-manager.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { GatewayFormDialog } from '../routes/connect/gateway-form-dialog.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { MyServiceRoute } from '../routes/account/my-service-route.ts';
import { OrdersRoute } from '../routes/manage/orders-route.ts';
import { PayOrderRoute } from '../routes/store/pay-order-route.ts';
import { StorePage, WordgatePage } from '../routes/store/store-pages.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { startChoosingGateway, type choosingGateway } from '../support/tunnel/choosing-gateway.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { fillAccount, type FilledAccount } from '../support/service/filled-account.ts';
import { prepareHelper } from '../support/tunnel/helper.ts';
import { startKeyring } from '../support/machine/keyring.ts';
import { launchDesktopApp } from '../support/host/launch-desktop-app.ts';
import { root } from '../support/host/paths.ts';
import {
  appScreens,
  childScreens,
  desktopPublicScreens,
  desktopScreens,
  invitedScreens,
  openScreen,
  publicScreens,
  signedOutScreens,
  webScreens,
  webviewScreens,
  type Screen,
} from '../support/screens/screens.ts';
import { offlineScreen } from '../support/screens/screen-states.ts';
import { plan, serverNames, startService, type TestService } from '../support/service/service.ts';
import { arrived, arriveSignedIn, deviceLogin, signIn } from '../support/tunnel/sign-in.ts';
import { tunnelScreens } from '../support/screens/tunnel-screens.ts';
import { listScreens, settingsScreens } from '../support/screens/more-screens.ts';
import { routingScreens, writeCountryLists } from '../support/screens/routing-screens.ts';
import { chooserScreens, serverListScreens } from '../support/screens/server-list-screens.ts';
import { writeContactSheets } from '../support/screens/contact-sheets.ts';
import { languageTags, texts, type TextLanguage } from '../support/screens/texts.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { launchBrowser, openConsole } from '../support/service/web-console.ts';
import { screenshotLanguages } from './screenshot-languages.ts';
import { openWebview, startApp } from '../webview/open-webview.ts';
import { createWebviewApp } from '../webview/webview-app.ts';

/**
 * Every screen of the built app, of the web console, of the pages in a phone's webview and of the service's store as PNG
 * files in out/screenshots, in light and dark, at the sizes of a large desktop window, of the desktop app's own as it
 * opens, and of a phone, and once more as a whole where it is higher than that; and contact sheets of them.
 */
const phone = { phone: { width: 390, height: 844 } };
const sizes = {
  large: { width: 1440, height: 900 },
  window: { width: 960, height: 720 },
  ...phone,
};
const folder = path.join(root, 'out/screenshots');
/** In pixels: what is longer, as all the licences are, nobody looks at. */
const longestPicture = 6000;

/** Servers for who has a plan, as the account in the pictures does. */
const offersIn = (language: TextLanguage): Seed => ({
  ...(language === 'pseudo' ? { translations: { en: texts.pseudo } } : {}),
  serverGroups: [
    {
      id: 'family',
      name: plan.name,
      isTrial: false,
      items: [
        {
          id: 'family-all',
          level: 2,
          servers: [
            { serverId: 'first', name: serverNames.first, domain: names.gateway },
            { serverId: 'second', name: serverNames.untrusted, domain: names.untrustedGateway },
          ],
        },
      ],
    },
  ],
});

type SetDark = (dark: boolean) => Promise<void>;

interface Camera {
  readonly setDark: SetDark;
  /** Viewports by name; all of `sizes` if absent. */
  readonly viewports?: Readonly<Record<string, { width: number; height: number }>>;
}

const browserCamera = (page: Page): Camera => ({
  setDark: (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' }),
});

async function shoot(page: Page, name: string, camera: Camera): Promise<void> {
  // What was pressed last must not look as if it were about to be pressed again.
  await page.mouse.move(0, 0);
  const hasPictures = () => page.evaluate(() => [...document.images].every(({ complete }) => complete));
  await expect.poll(hasPictures).toBe(true);
  for (const [size, viewport] of Object.entries(camera.viewports ?? sizes)) {
    await page.setViewportSize(viewport);
    await shootThemes(page, `${name}-${size}`, camera);
    // Not Playwright's picture of the full page: what sticks to the bottom would be in the middle of it.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (height <= viewport.height || height > longestPicture) continue;
    await page.setViewportSize({ width: viewport.width, height });
    await shootThemes(page, `${name}-${size}-whole`, camera);
  }
  console.log(name);
}

async function shootThemes(page: Page, name: string, { setDark }: Camera): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await setDark(theme === 'dark');
    await page.evaluate(() => document.fonts.ready);
    const file = path.join(folder, `${name}-${theme}.png`);
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  }
}

async function shootScreens(screens: Screen[], prefix: string, camera: Camera): Promise<void> {
  for (const screen of screens) {
    const { name, route, leave } = screen;
    await openScreen(screen);
    await shoot(route.page, `${prefix}-${name}`, camera);
    await leave?.();
  }
}

/** On the first of these the app is. */
const trustedNetworks = ['Lindenstraße 5', '家里的 Wi-Fi'] as const;
const networkSettings = {
  connectOnUntrusted: true,
  trustedNetworks: trustedNetworks.map((name) => Buffer.from(name).toString('hex')),
};

async function shootLanguage(language: TextLanguage): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-screenshots-'));
  await using lab = await createLab();
  await writeCountryLists(path.join(lab.directory, 'service'));
  await using service = await startService(path.join(lab.directory, 'service'), lab, offersIn(language));
  await using keyring = await startKeyring(path.join(directory, 'keyring'));
  await using manager = await startNetworkManager(path.join(directory, 'networks'));
  await manager.joinWifi(trustedNetworks[0]);
  const userData = path.join(directory, 'app');
  await mkdir(userData);
  await writeFile(path.join(userData, 'settings.json'), JSON.stringify(networkSettings));
  const helper = await prepareHelper(path.join(directory, 'helper'), lab);
  await helper.start();
  const browser = await launchBrowser();
  const app = await launchDesktopApp({
    lab,
    userData,
    languages: [languageTags[language]],
    env: {
      ...keyring.env,
      ...manager.env,
      WAYMAKER_API_URL: service.apiUrl,
      WAYMAKER_HELPER_SOCKET: helper.socket,
    },
  });
  try {
    const desktop = `${language}-app`;
    const camera: Camera = { setDark: (dark) => app.setDark(dark) };
    await app.page.emulateMedia({ reducedMotion: 'reduce' });
    await shootScreens(desktopPublicScreens(app.page, language), desktop, camera);
    await new LoginRoute(app.page, language).open();
    const account = await fillAccount(browser, service, 'ada@example.com', language);
    await signIn(app.page, service, account.email, language);
    await expect(new VerifyRoute(app.page, language).success).toBeHidden();
    await shootScreens(desktopScreens(app.page, language, account), desktop, camera);
    await new ConnectRoute(app.page, language).open();
    const connect = await connectTo(app.page, undefined, language);
    const traffic = await lab.user.probe.stream('screenshot');
    await expect(connect.sent).toHaveText(/[1-9]\d* kB/);
    await traffic[Symbol.asyncDispose]();
    await shoot(app.page, `${desktop}-connected`, camera);
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await shootGatewayForm(app.page, lab, connect, `${desktop}-gateway-form`, camera);
    await shootSignInChoices(app.page, lab, connect, desktop, camera);
    await shootScreens(settingsScreens(app.page, language), desktop, camera);
    await shootScreens(routingScreens(app.page, language), desktop, camera);

    const web = `${language}-web`;
    const page = await openConsole(browser, service, { language });
    await withoutEvents(page.context());
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const webCamera = browserCamera(page);
    await shootScreens(signedOutScreens(page, language), web, webCamera);
    await new LoginRoute(page, language).open();
    await signIn(page, service, account.email, language);
    await expect(new VerifyRoute(page, language).success).toBeHidden();
    await shootScreens(webScreens(page, language, account), web, webCamera);
    await shootQuestion(page, service, account.member, `${web}-device-login-other`);
    await arriveSignedIn(page, service, account.member, language);
    await shootScreens(childScreens(page, language), web, webCamera);
    await arriveSignedIn(page, service, account.invited, language);
    await shootScreens(invitedScreens(page, language), web, webCamera);
    await arriveSignedIn(page, service, account.email, language);
    await shootStore(page, service, language, account);
    await shootWebview(browser, service, language, account);
    await shootStates(browser, service, language, account);
    await writeContactSheets(browser, folder, `${language}-`);
  } finally {
    await app.quit();
    await helper.end();
    await browser.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** What /device-login asks where somebody else is signed in. */
async function shootQuestion(page: Page, service: TestService, email: string, name: string): Promise<void> {
  await page.goto(service.consoleUrl + (await deviceLogin(service, email)));
  await expect(page.getByText(email)).toBeVisible();
  await shoot(page, name, browserCamera(page));
}

/** What a gateway asks that wants a one-time code, and what a wrong one leads to. */
async function shootGatewayForm(
  page: Page,
  lab: Lab,
  connect: ConnectRoute,
  name: string,
  camera: Camera,
): Promise<void> {
  await lab.gateway.restart({ oneTimeCodes: true });
  await connect.connect.click();
  const form = new GatewayFormDialog(page, connect.language);
  await expect(form.dialog).toBeVisible();
  await shoot(page, name, camera);
  await form.dialog.getByRole('textbox').fill('000000');
  await form.continue.click();
  await expect(connect.says('reason.answerRefused')).toBeVisible();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await shoot(page, `${name}-refused`, camera);
  await lab.gateway.restart({ oneTimeCodes: false });
}

/** What a gateway with several groups asks, the certificate that one of them wants, and a banner. */
async function shootSignInChoices(
  page: Page,
  lab: Lab,
  connect: ConnectRoute,
  name: string,
  camera: Camera,
): Promise<void> {
  const gateway = await startChoosingGateway(lab);
  const dialog = (title: TextKey) => page.getByRole('dialog', { name: connect.words(title) });
  const chooseGroup = async (group: keyof typeof choosingGateway.groups) => {
    await connect.connect.click();
    await dialog('gatewayForm.groupTitle').getByRole('combobox').selectOption(group);
  };
  const confirm = () => page.getByRole('button', { name: connect.words('gatewayForm.continue') }).click();
  await chooseGroup('certified');
  await shoot(page, `${name}-gateway-group`, camera);
  await confirm();
  await expect(connect.says('reason.certificateRequired')).toBeVisible();
  await shoot(page, `${name}-certificate-required`, camera);
  await page.getByRole('button', { name: connect.words('gatewayCertificate.choose') }).click();
  await expect(dialog('gatewayCertificate.title')).toBeVisible();
  await shoot(page, `${name}-certificate`, camera);
  await page.keyboard.press('Escape');
  await chooseGroup('plain');
  await confirm();
  await expect(dialog('gatewayForm.bannerTitle')).toBeVisible();
  await shoot(page, `${name}-banner`, camera);
  await page.keyboard.press('Enter');
  await connect.cancel.or(connect.connect).first().click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await shoot(page, `${name}-group-chosen`, camera);
  await gateway[Symbol.asyncDispose]();
}

/** The store and the sandbox; `page` is the console's, signed in. */
async function shootStore(
  page: Page,
  service: TestService,
  language: TextLanguage,
  account: FilledAccount,
): Promise<void> {
  const store = `${language}-store`;
  for (const [name, address] of [
    ['purchase', 'store/purchase'],
    ['change', 'store/change-service'],
    ['quick-start', 'store/quick-start'],
    ['events', 'store/events'],
    ['privacy', 'store/privacy'],
    ['not-found', 'wordgate/pay/none'],
  ] as const) {
    await page.goto(`${service.consoleUrl}/${address}`);
    await expect(page.locator('h1')).toBeVisible();
    await expect(page.getByRole('status', { name: texts[language]['shell.loading'] })).toHaveCount(0);
    await shoot(page, `${store}-${name}`, browserCamera(page));
  }
  const buyer = new StorePage(page, language);
  await openHandOver(page, service, account.invited);
  await expect(buyer.whose).toBeVisible();
  await shoot(page, `${store}-whose`, browserCamera(page));
  await buyer.buyFor(account.invited).click();
  await shoot(page, `${store}-from-app`, browserCamera(page));
  const guest = await openConsole(page.context().browser()!, service, { language, path: '/store/purchase' });
  await expect(new StorePage(guest, language).email).toBeVisible();
  await shoot(guest, `${store}-guest`, browserCamera(guest));
  await new PayOrderRoute(page, language).open(`?orderId=${account.unpaidOrder}`);
  const sandbox = new WordgatePage(page, language);
  await sandbox.reached();
  await shoot(page, `${store}-payment`, browserCamera(page));
  await sandbox.decline.click();
  await expect(sandbox.pay).toBeHidden();
  await expect(page.locator('h1')).toBeVisible();
  await shoot(page, `${store}-payment-declined`, browserCamera(page));
}

/** Comes to the store as from that user's app. */
async function openHandOver(page: Page, service: TestService, email: string): Promise<void> {
  const { code } = must(await (await signInByApi(service, email)).call('createHandOver'));
  // From another page, or only the fragment would change.
  await page.goto('about:blank');
  await page.goto(`${service.consoleUrl}/store/purchase#hand-over=${code}`);
}

/** The connect tab in every state, as large as the windows of the desktop app; an app around the page tells them. */
async function shootStates(
  browser: Browser,
  service: TestService,
  language: TextLanguage,
  account: FilledAccount,
): Promise<void> {
  const app = createWebviewApp('android');
  const context = await browser.newContext({ locale: languageTags[language], viewport: sizes.window });
  const url = service.consoleUrl + (await deviceLogin(service, account.email));
  const page = await startApp(context, { platform: 'android', app, url });
  await arrived(page, language);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const camera = { ...browserCamera(page), viewports: { window: sizes.window, large: sizes.large } };
  const states = `${language}-states`;
  const connect = new ConnectRoute(page, language);
  await shootScreens([{ name: 'first-use', route: connect, sees: connect.welcomeRead }], states, camera);
  await connect.welcomeRead.click();
  await shootScreens(tunnelScreens(page, language, app), states, camera);
  app.become({ state: 'disconnected' });
  await shootScreens([offlineConnect(page, language)], states, camera);
  await shootScreens(serverListScreens(page, language, app), states, camera);
  await shootScreens(listScreens(page, language), states, camera);
  await context.close();
}

const offlineConnect = (page: Page, language: TextLanguage): Screen =>
  offlineScreen(page, language, { name: 'connect-offline', route: new ConnectRoute(page, language) });

/** The pages as a phone's app shows them. */
async function shootWebview(
  browser: Browser,
  service: TestService,
  language: TextLanguage,
  account: FilledAccount,
): Promise<void> {
  const platform = 'android';
  const app = createWebviewApp(platform);
  const page = await openWebview(browser, { platform, app, language, url: `${service.consoleUrl}/` });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const webview = `${language}-webview`;
  const camera = { ...browserCamera(page), viewports: phone };
  await shootScreens(publicScreens(page, language), webview, camera);
  await new LoginRoute(page, language).open();
  await signIn(page, service, account.email, language);
  await expect(new VerifyRoute(page, language).success).toBeHidden();
  await shootScreens(appScreens(page, language, account), webview, camera);
  await shootScreens(webviewScreens(page, language, app), webview, camera);
  app.become({ state: 'disconnected' });
  await shootScreens([offlineConnect(page, language)], webview, camera);
  await shootScreens(chooserScreens(page, language, app), webview, camera);
  await arriveSignedIn(page, service, `new-${account.email}`, language);
  await shootScreens(
    [
      { name: 'connect-no-plan', route: new ConnectRoute(page, language) },
      { name: 'dashboard-no-plan', route: new AccountRoute(page, language) },
      { name: 'my-service-no-plan', route: new MyServiceRoute(page, language) },
      { name: 'members-no-plan', route: new MembersRoute(page, language) },
      { name: 'orders-none', route: new OrdersRoute(page, language) },
      { name: 'mini-apps-none', route: new MiniAppsRoute(page, language) },
    ],
    webview,
    camera,
  );
}

for (const language of screenshotLanguages())
  test(`screenshots in ${language}`, async () => {
    await mkdir(folder, { recursive: true });
    // None of a screen that is no longer.
    for (const file of await readdir(folder))
      if (file.startsWith(`${language}-`)) await rm(path.join(folder, file));
    await shootLanguage(language);
  });
