import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test as base } from '../../fixtures.ts';
import type { DesktopApp } from './desktop-app.ts';
import { createLauncher, type Launcher } from './launcher.ts';

/**
 * For files whose tests begin alike and leave the app as they found it: the app on this machine, with nobody signed in,
 * is started for the first of them, and later ones find its page loaded again. What a test leaves behind if it fails no
 * other one sees, since Playwright then goes on in another process.
 */
export function keepAppHere() {
  let launcher: Launcher | undefined;
  let directory: string | undefined;
  let app: DesktopApp | undefined;
  base.afterAll(async () => {
    await launcher?.end();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 20 });
    app = undefined;
  });
  return base.extend<{ keptHere: DesktopApp }>({
    keptHere: async ({ workerBrowser, serviceHere }, provide) => {
      if (!app) {
        directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-e2e-'));
        launcher = createLauncher({
          browser: workerBrowser,
          userData: path.join(directory, 'app'),
          env: {
            WAYMAKER_API_URL: serviceHere.apiUrl,
            WAYMAKER_HELPER_SOCKET: path.join(directory, 'no-helper.sock'),
          },
        });
        app = await launcher.launch();
      } else {
        // Nothing of a page outlives it.
        await app.page.reload();
      }
      await provide(app);
    },
  });
}
