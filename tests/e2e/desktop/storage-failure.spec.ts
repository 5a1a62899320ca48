import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { expect, test as base } from '../webview/webview-fixtures.ts';

type Method = 'setItem' | 'removeItem';

const key = 'ANY-KEY';
const consume = `/api/license-keys/${key}/consume`;

const hosts = ['desktop', 'web console', 'webview'] as const;

interface OpenedHost {
  /** At the login page. */
  page: Page;
  /** Makes its storage fail from now on. */
  breakStorage: (method: Method) => Promise<void>;
  /** Lets it work again, for the next page that is loaded. */
  mendStorage: () => Promise<void>;
}

interface StorageFixtures {
  host: (typeof hosts)[number];
  opened: OpenedHost;
}

const test = base.extend<StorageFixtures>({
  host: ['web console', { option: true }],
  opened: async ({ host, browserHere, openInApp, launchHere, serviceHere, directory }, provide) => {
    if (host === 'desktop') {
      // Its main process makes the calls, which no test can answer in the page.
      await using between = await startHostileService(serviceHere.apiUrl, { [consume]: {} });
      const { page } = await launchHere({ env: { WAYMAKER_API_URL: between.apiUrl } });
      const file = path.join(directory, 'app/page-storage.json');
      await provide({
        page,
        breakStorage: () => replaceByFolder(file),
        mendStorage: () => rm(file, { recursive: true }),
      });
    } else if (host === 'webview') {
      const { app, page } = await openInApp('android');
      await provide({
        page,
        breakStorage: async () => void (app.storageFails = true),
        mendStorage: async () => void (app.storageFails = false),
      });
    } else {
      const page = await openConsole(browserHere, serviceHere);
      // What refuses is in the document.
      await provide({ page, breakStorage: (method) => refuse(page, method), mendStorage: async () => {} });
    }
  },
});

/** From now on the file can neither be read nor written, by nobody: this holds for root too. */
async function replaceByFolder(file: string): Promise<void> {
  // The app may write it once more in between.
  await expect(async () => {
    await rm(file, { force: true });
    await mkdir(file);
  }).toPass();
}

/** From now on the browser refuses this, as it does with a full or forbidden storage. */
const refuse = (page: Page, method: Method) =>
  page.evaluate((name) => {
    Storage.prototype[name] = () => {
      throw new DOMException('refused', 'QuotaExceededError');
    };
  }, method);

for (const host of casesOf<(typeof hosts)[number]>({ usual: ['web console'], all: hosts })) {
  test.describe(`spec §8: storage failures in the ${host}:`, () => {
    test.use({ host });

    test("'storage failed', 'delete failed' and 'clear failed' are said", async ({
      opened: { page, breakStorage, mendStorage },
      serviceHere,
      email,
    }) => {
      const login = new LoginRoute(page);
      await expect(login.heading).toBeVisible();
      await breakStorage('setItem');
      await expectSaid(page, texts.en['error.storage'], () => login.askForCode(email));

      await mendStorage();
      await arriveSignedIn(page, serviceHere, email);
      await page.route(`**${consume}`, (route) => route.fulfill({ json: { code: 0, msg: '', data: null } }));
      const redeem = new RedeemRoute(page);
      await redeem.open();
      await redeem.key.fill(key);
      await breakStorage('removeItem');
      const said = await expectSaid(page, texts.en['error.delete'], () => redeem.submit.click());
      expect(said.join('\n')).toContain(texts.en['redeem.success']);

      await mendStorage();
      const account = new AccountRoute(page);
      await account.open();
      await account.signOut.click();
      await breakStorage('removeItem');
      await expectSaid(page, texts.en['error.clear'], () => new LogoutRoute(page).confirm.click());
    });
  });
}
