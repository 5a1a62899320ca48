import path from 'node:path';
import type { Page } from 'playwright/test';
import { en } from '#shared/texts/en.ts';
import { startNetworkManager, type TestNetworkManager } from '../../lab/desktop/network-manager.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test as base, withoutRoot } from '../fixtures.ts';
import { untilDrawn } from '../support/host/ask-host.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

const test = base.extend<{ manager: TestNetworkManager }>({
  manager: async ({ directory }, provide) => {
    const manager = await startNetworkManager(path.join(directory, 'networks'));
    await provide(manager);
    await manager[Symbol.asyncDispose]();
  },
});

/** On a phone's width as well. */
async function expectFits(page: Page): Promise<void> {
  const wide = page.viewportSize() ?? { width: 1200, height: 800 };
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await clippedTexts(page)).toEqual([]);
  await page.setViewportSize(wide);
}

test('the networks that the user trusts are chosen by name, shown without what deceives, and kept', async ({
  launchHere,
  serviceHere,
  email,
  manager,
}) => {
  const hostile = 'Café\u{202e}3';
  const shown = `Café3 (${Buffer.from(hostile).toString('hex')})`;
  await manager.joinWifi(hostile);
  const { page } = await launchSignedIn(launchHere, serviceHere, email, { env: manager.env });
  const settings = await openSettings(page);
  await expect(settings.connectOnUntrusted).not.toBeChecked();
  await expect(settings.trustWired).toHaveCount(0);
  await settings.switchOn(settings.connectOnUntrusted);
  await expect(settings.network).toHaveText(`${shown} · Not trusted`);
  await expect(settings.trusted).toHaveCount(0);

  // The keyboard stays where it is, although what it pressed goes.
  await settings.trust.focus();
  await page.keyboard.press('Enter');
  await expect(settings.network).toHaveText(`${shown} · Trusted`);
  await expect(settings.explain(settings.trustedCount)).toBeFocused();
  await expect(settings.trusted).toHaveCount(1);
  await expectNoViolations(page, 'the trusted networks');
  await expectFits(page);
  await page.reload();
  await expect(settings.trusted).toContainText([shown]);

  // Anybody can give an open network this name.
  await manager.joinWifi(hostile, { isOpen: true });
  await expect(settings.network).toHaveText(`${shown} · Open, so not trusted`);
  await expect(settings.trust).toHaveCount(0);
  await manager.join({ type: '802-3-ethernet' });
  await expect(settings.network).toHaveText('Wired · Not trusted');
  await settings.switchOn(settings.trustWired);
  await expect(settings.network).toHaveText('Wired · Trusted');
  await settings.distrust(shown).focus();
  await page.keyboard.press('Enter');
  await expect(settings.trusted).toHaveCount(0);
  await expect(settings.explain(settings.trustWired)).toBeFocused();

  await manager.stop();
  await expect(settings.networksUnavailable).toBeVisible();
  // It goes with what it was about.
  await settings.connectOnUntrusted.click();
  await expect(settings.connectOnUntrusted).toHaveCount(0);
  await expect(settings.networksUnavailable).toBeVisible();
});

test.describe('in the laboratory', () => {
  test.skip(withoutRoot, 'the laboratory needs root');

  test('the app connects on a network that is not trusted, and on one that is it ends that again', async ({
    helper: _helper,
    launch,
    service,
    email,
    manager,
  }) => {
    const { page } = await launchSignedIn(launch, service, email, { env: manager.env });
    await manager.joinWifi('home');
    const settings = await openSettings(page);
    const connectsNow = page.getByText(en['networks.connectsNow']);
    await expect(connectsNow).toBeVisible();
    await settings.switchOn(settings.connectOnUntrusted);
    await expect(connectsNow).toHaveCount(0);
    await settings.switchOn(settings.disconnectOnTrusted);
    const connect = await openConnectTab(page);
    const connected = connect.status('connect.connected');
    await expect(connected).toBeVisible({ timeout: waitLimit(30_000) });
    await connect.inSettings(() => settings.trust.click());
    await expect(connect.status('connect.disconnected')).toBeVisible();

    await manager.joinWifi('café');
    await expect(connected).toBeVisible({ timeout: waitLimit(30_000) });
    await manager.joinWifi('home');
    await expect(connect.status('connect.disconnected')).toBeVisible();
    // What the user does at the café counts there.
    await manager.joinWifi('café');
    await expect(connected).toBeVisible({ timeout: waitLimit(30_000) });
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await manager.join();
    await manager.joinWifi('café');
    await connect.inSettings(async () => {
      await expect(settings.network).toHaveText('café · Not trusted');
    });
    await untilDrawn(page);
    await expect(connect.status('connect.disconnected')).toBeVisible();
    // The positive control: elsewhere it does.
    await manager.joinWifi('hotel');
    await expect(connected).toBeVisible({ timeout: waitLimit(30_000) });
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
  });
});
