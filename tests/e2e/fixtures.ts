import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { test as base, expect, type Browser, type Page } from 'playwright/test';
import { createLab, type Lab } from '../lab/lab.ts';
import { makeOwnedDirectory } from '../lab/runs/owned-directory.ts';
import type { ConnectRoute } from './routes/connect/connect-route.ts';
import { LoginRoute } from './routes/account/login-route.ts';
import { chromiumIn } from './support/machine/chromium-in.ts';
import { connectTo } from './support/tunnel/connect.ts';
import { askHost } from './support/host/ask-host.ts';
import type { DesktopApp } from './support/host/desktop-app.ts';
import { fillAccount, type FilledAccount } from './support/service/filled-account.ts';
import { prepareHelper, type TestHelper } from './support/tunnel/helper.ts';
import { startKeyring, type Keyring } from './support/machine/keyring.ts';
import { createLauncher, type Launcher } from './support/host/launcher.ts';
import { startService, type TestService } from './support/service/service.ts';
import { launchSignedIn, openSignedIn } from './support/tunnel/sign-in.ts';
import { closeContext } from './support/screens/close-context.ts';
import { launchBrowser, openConsole } from './support/service/web-console.ts';
import { waitLimit } from '../lab/runs/wait-limit.ts';
import { chargeTo, countThisWorker } from '../../scripts/tally/file-times.ts';

interface TestFixtures {
  /** A folder of the test's own. */
  directory: string;
  /** An email address that nobody has used yet. */
  email: string;
  /** A browser on this machine, for the web console; what a test opens in it is closed after the test. */
  browserHere: Browser;
  /** Starts the desktop app on this machine; every app still running is killed after the test. */
  launchHere: Launcher['launch'];
  /** A desktop app on this machine in which the user of `email` is signed in, at the account page. */
  signedInHere: DesktopApp;
  /** The worker's desktop app on this machine, with its page just loaded and nobody signed in. */
  keptHere: DesktopApp;
  /** The web console on this machine, with nobody signed in. */
  openedConsole: Page;
  /** The web console on this machine in which that user is signed in, at the account page. */
  signedInConsole: Page;
  /** A real keyring on a message bus of its own, for the apps that are started with its environment. */
  keyring: Keyring;
  /** Starts the desktop app on the laboratory's user machine. */
  launch: Launcher['launch'];
  /** A desktop app there in which that user is signed in, at the account page, with the helper running. */
  signedIn: DesktopApp;
  /** The connect tab of that app, with the tunnel up. */
  connected: ConnectRoute;
  /** All that can be changed in that machine's network, as it was before the test. */
  networkBefore: string;
  /** The helper on the laboratory's user machine, not started yet. */
  idleHelper: TestHelper;
  /** The same, running. */
  helper: TestHelper;
  /** Gives the test as much time as the machine's load asks for. */
  followLoad: void;
  /** Counts what the test uses of the processors. */
  charged: void;
}

interface WorkerFixtures {
  counted: void;
  /** One browser on this machine for all tests of a worker. */
  workerBrowser: Browser;
  /** The service on this machine's loopback. */
  serviceHere: TestService;
  /** An account of that service with something on every page; tests only look at it. */
  filledAccount: FilledAccount;
  /**
   * One app on this machine, which cannot log, for tests that begin alike and leave it as they found it. What a test
   * leaves behind if it fails no other one sees, since Playwright then goes on in another process.
   */
  workerApp: DesktopApp;
  lab: Lab;
  /** A browser on the laboratory's user machine, for the desktop app. */
  browserInLab: Browser;
  /** The service in the laboratory's internet. */
  service: TestService;
}

const newEmail = () => `person-${randomUUID().slice(0, 8)}@example.com`;

export const withoutRoot = process.getuid?.() !== 0;

// oxlint-disable no-empty-pattern -- Playwright reads a fixture's needs from its first parameter's pattern
export const test = base.extend<TestFixtures, WorkerFixtures>({
  counted: [
    async ({}, provide) => {
      countThisWorker();
      await provide();
    },
    { scope: 'worker', auto: true },
  ],
  charged: [
    async ({}, provide, testInfo) => {
      await provide();
      chargeTo(testInfo.file);
    },
    { auto: true },
  ],
  lab: [
    async ({}, provide) => {
      const lab = await createLab();
      await provide(lab);
      await lab[Symbol.asyncDispose]();
    },
    { scope: 'worker', timeout: waitLimit(60_000) },
  ],
  browserInLab: [
    async ({ lab }, provide) => {
      const browser = await launchBrowser(await chromiumIn(lab.user, lab.directory));
      await provide(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  service: [
    async ({ lab }, provide) => {
      const service = await startService(path.join(lab.directory, 'service'), lab);
      await provide(service);
      await service[Symbol.asyncDispose]();
    },
    { scope: 'worker', timeout: waitLimit(60_000) },
  ],
  serviceHere: [
    async ({}, provide) => {
      const directory = makeOwnedDirectory('e2e');
      const service = await startService(directory);
      await provide(service);
      await service[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: waitLimit(60_000) },
  ],
  filledAccount: [
    async ({ workerBrowser, serviceHere }, provide) => {
      await provide(await fillAccount(workerBrowser, serviceHere, newEmail()));
    },
    { scope: 'worker' },
  ],
  workerApp: [
    async ({ workerBrowser, serviceHere }, provide) => {
      const directory = makeOwnedDirectory('e2e');
      const launcher = createLauncher({
        browser: workerBrowser,
        userData: path.join(directory, 'app'),
        env: {
          WAYMAKER_API_URL: serviceHere.apiUrl,
          WAYMAKER_HELPER_SOCKET: path.join(directory, 'no-helper.sock'),
        },
      });
      const app = await launcher.launch({ outputFile: '/dev/full' });
      await provide(app);
      await app.quit();
      await rm(directory, { recursive: true, force: true, maxRetries: 20 });
    },
    { scope: 'worker', timeout: waitLimit(60_000) },
  ],
  workerBrowser: [
    async ({}, provide) => {
      const browser = await launchBrowser();
      await provide(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  browserHere: async ({ workerBrowser }, provide) => {
    const others = new Set(workerBrowser.contexts());
    await provide(workerBrowser);
    const opened = workerBrowser.contexts().filter((context) => !others.has(context));
    await Promise.all(opened.map(closeContext));
  },
  directory: async ({}, provide) => {
    const directory = makeOwnedDirectory('e2e');
    await provide(directory);
    // Chromium's last processes may still be writing.
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  },
  email: async ({}, provide) => {
    await provide(newEmail());
  },
  launchHere: async ({ browserHere, serviceHere, directory }, provide) => {
    const launcher = createLauncher({
      browser: browserHere,
      userData: path.join(directory, 'app'),
      env: {
        WAYMAKER_API_URL: serviceHere.apiUrl,
        WAYMAKER_HELPER_SOCKET: path.join(directory, 'no-helper.sock'),
      },
    });
    await provide(launcher.launch);
    await launcher.end();
  },
  signedInHere: async ({ launchHere, serviceHere, email }, provide) => {
    await provide(await launchSignedIn(launchHere, serviceHere, email));
  },
  keptHere: async ({ workerApp: app }, provide) => {
    // Nothing of a page outlives it.
    await new LoginRoute(app.page).open();
    await provide(app);
    await askHost(app.page, 'session.signOut', { by: 'user' });
  },
  openedConsole: async ({ browserHere, serviceHere }, provide) => {
    await provide(await openConsole(browserHere, serviceHere));
  },
  signedInConsole: async ({ browserHere, serviceHere, email }, provide) => {
    await provide(await openSignedIn(browserHere, serviceHere, email));
  },
  keyring: async ({ directory }, provide) => {
    const keyring = await startKeyring(path.join(directory, 'keyring'));
    await provide(keyring);
    await keyring[Symbol.asyncDispose]();
  },
  networkBefore: async ({ lab }, provide) => {
    await provide(await lab.user.snapshot());
  },
  idleHelper: async ({ lab, networkBefore, directory }, provide, testInfo) => {
    const helper = await prepareHelper(path.join(directory, 'helper'), lab);
    await provide(helper);
    await helper.end();
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('helper output', { body: helper.output, contentType: 'text/plain' });
      await testInfo.attach('gateway log', { body: await lab.gateway.log(), contentType: 'text/plain' });
    }
    const after = await lab.user.snapshot();
    expect(after, 'whatever a test did, the network is as it was before').toBe(networkBefore);
  },
  helper: async ({ idleHelper }, provide) => {
    await idleHelper.start();
    await provide(idleHelper);
  },
  launch: async ({ lab, browserInLab, service, directory }, provide, testInfo) => {
    const launcher = createLauncher({
      lab,
      browser: browserInLab,
      userData: path.join(directory, 'app'),
      env: {
        WAYMAKER_API_URL: service.apiUrl,
        WAYMAKER_HELPER_SOCKET: path.join(directory, 'helper/run/helper.sock'),
      },
    });
    await provide(launcher.launch);
    await launcher.end();
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('app output', { body: launcher.outputs().join('\n'), contentType: 'text/plain' });
    }
  },
  followLoad: [
    async ({}, provide, testInfo) => {
      testInfo.setTimeout(waitLimit(testInfo.timeout));
      await provide();
    },
    { auto: true },
  ],
  // The helper is named to be there before the app, and after it.
  signedIn: async ({ helper: _helper, launch, service, email }, provide) => {
    await provide(await launchSignedIn(launch, service, email));
  },
  connected: async ({ helper, signedIn }, provide) => {
    const connect = await connectTo(signedIn.page);
    expect(helper.output, 'the helper made the tunnel').toContain('the gateway has named its terms');
    await provide(connect);
  },
});

export { expect };
