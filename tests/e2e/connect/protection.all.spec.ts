import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from '../../lab/network/addresses.ts';
import type { Lab } from '../../lab/lab.ts';
import { words } from '../../lab/runs/process.ts';
import { expect, test as base, withoutRoot } from '../fixtures.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import type { SettingsRoute } from '../routes/desktop/settings-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { deviceIdOf } from '../support/service/device-id.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { refuseSignIns } from '../support/service/refuse-sign-ins.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags } from '../support/screens/texts.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { curlLimits } from '../../lab/probes/probe.ts';

const test = base.extend<{ settings: SettingsRoute }>({
  /** The settings of an app without a helper. */
  settings: async ({ signedInHere: { page } }, provide) => {
    await provide(await openSettings(page));
  },
});

const seenByFarSide = async (lab: Lab) => (await lab.user.probe.http4('protection'))?.address;

/** The source address that a host on the user's own network saw, or undefined if that cannot be reached. */
async function seenByNeighbour(
  lab: Lab,
  address: string = addresses.neighbour.ipv4,
): Promise<string | undefined> {
  const { code, stdout } = await lab.user.exec([
    ...words('curl --silent --noproxy *'),
    ...curlLimits(),
    `http://${address}/near`,
  ]);
  return code === 0 ? (JSON.parse(stdout) as { address: string }).address : undefined;
}

/** Whether the gateway gets an answer from the user's machine through the tunnel without having been asked. */
async function reachesUser(lab: Lab): Promise<boolean> {
  const own = /inet ([\d.]+)/.exec(await lab.user.run(words('ip address show dev wm0')))?.[1] ?? '';
  return (await lab.gatewayMachine.exec(words(`ping -c1 -W2 ${own}`))).code === 0;
}

test.describe('in the laboratory', () => {
  test.skip(withoutRoot, 'the laboratory needs root');

  test('the local network switch opens and closes it while connected, and both settings survive a restart', async ({
    signedIn,
    lab,
    launch,
    service,
    email,
    networkBefore,
  }) => {
    const own = addresses.userPrivate.ipv4;
    expect(await seenByNeighbour(lab), 'positive control').toBe(own);
    const connect = await connectTo(signedIn.page);
    expect(await seenByNeighbour(lab)).not.toBe(own);

    await connect.switchOn('localNetwork');
    await expect(connect.status('connect.connected')).toBeVisible();
    expect(await seenByNeighbour(lab)).toBe(own);
    expect(await seenByFarSide(lab), 'all else stays in the tunnel').toBe(addresses.gateway.ipv4);

    const { router, user } = addresses;
    expect(await seenByNeighbour(lab, router.ipv4), 'on a public network').not.toBe(user.ipv4);
    await connect.inSettings(async (settings) => {
      const { localPrefixes } = settings;
      await localPrefixes.fill('0.0.0.0/1');
      await localPrefixes.press('Enter');
      await expect(settings.says('protection.localPrefixesInvalid')).toBeVisible();
      await localPrefixes.fill('192.0.2.7/24');
      await localPrefixes.press('Enter');
      await expect(localPrefixes).toHaveValue('192.0.2.0/24');
    });
    await expect.poll(() => seenByNeighbour(lab, router.ipv4)).toBe(user.ipv4);
    expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);

    await connect.switchOff('localNetwork');
    expect(await seenByNeighbour(lab)).not.toBe(own);
    expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);

    expect(await reachesUser(lab)).toBe(false);
    await connect.switchOn('allowIncoming');
    await expect.poll(() => reachesUser(lab)).toBe(true);
    await connect.switchOff('allowIncoming');
    await expect.poll(() => reachesUser(lab)).toBe(false);

    await connect.switchOn('localNetwork');
    await connect.switchOn('killSwitch');
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    expect(await lab.user.snapshot(), 'the user has ended it, so the kill switch does nothing').toBe(
      networkBefore,
    );
    await signedIn.quit();

    const { page } = await launch();
    await signIn(page, service, `again-${email}`);
    const again = await connectTo(page);
    await again.expectOn('localNetwork', 'killSwitch');
    expect(await seenByNeighbour(lab), 'it holds from the beginning of a connection').toBe(own);
    expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);
    await again.disconnect.click();
    await expect(again.status('connect.disconnected')).toBeVisible();
  });

  test('with the kill switch on, a gateway that refuses the user opens nothing: the user does', async ({
    connected: connect,
    signedIn: app,
    lab,
    networkBefore,
  }) => {
    await connect.switchOn('killSwitch');
    await using _ = await refuseSignIns(lab.gateway);
    await expect(connect.says('reason.signInRefused')).toBeVisible({ timeout: waitLimit(60_000) });
    await expect(connect.status('connect.blocked')).toBeVisible();
    await expect(connect.says('connect.blockedText')).toBeVisible();
    await expect(connect.says('connect.exposed')).toBeHidden();
    expect(await seenByFarSide(lab)).toBeUndefined();
    // Colours half-way between two themes are nobody's contrast.
    await connect.page.emulateMedia({ reducedMotion: 'reduce' });
    for (const dark of [false, true]) {
      await app.setDark(dark);
      await expectNoViolations(connect.page, dark ? 'dark' : 'light');
    }
    // Who is looking for the reason elsewhere is led to it.
    await new Tabs(connect.page).account.click();
    await connect.blockedSummary.click();

    await connect.unblock.click();
    await expect(connect.unblock).toBeHidden();
    await expect(connect.says('connect.exposed')).toBeVisible();
    await expect.poll(() => seenByFarSide(lab)).toBe(addresses.user.ipv4);
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
  });

  test('with the kill switch on, a service that ends the session opens nothing: the user does, or a sign-out', async ({
    connected: connect,
    signedIn: app,
    service,
    lab,
    email,
    networkBefore,
  }) => {
    const { page } = app;
    await connect.switchOn('killSwitch');
    await new Tabs(page).account.click();
    const elsewhere = await signInByApi(service, email);
    must(await elsewhere.call('revokeDevice', { params: { deviceId: await deviceIdOf(page) } }));
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    await expect(login.held).toBeVisible();
    expect(await seenByFarSide(lab)).toBeUndefined();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    for (const dark of [false, true]) {
      await app.setDark(dark);
      await expectNoViolations(page, dark ? 'dark' : 'light');
    }
    const wide = page.viewportSize() ?? { width: 1200, height: 800 };
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await clippedTexts(page)).toEqual([]);
    await page.setViewportSize(wide);

    await login.unblock.click();
    await expect(login.held).toBeHidden();
    await expect(login.email).toBeFocused();
    await expect.poll(() => seenByFarSide(lab)).toBe(addresses.user.ipv4);
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    await signIn(page, service, `again-${email}`);

    // A user who signs out has ended it.
    const again = await connectTo(page);
    await again.expectOn('killSwitch');
    const logout = new LogoutRoute(page);
    await logout.open();
    await expect(page.getByText(again.words('logout.textTunnel'))).toBeVisible();
    await logout.confirm.click();
    await expect(login.heading).toBeVisible();
    await expect(login.held).toBeHidden();
    await expect.poll(() => seenByFarSide(lab)).toBe(addresses.user.ipv4);
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
  });

  for (const language of languages) {
    test(`a tunnel that waits for somebody to sign in can be given up at the login page, which fits a phone: ${language}`, async ({
      connected: connect,
      signedIn,
      helper,
      launch,
      lab,
      networkBefore,
    }) => {
      await connect.switchOn('killSwitch');
      await signedIn.kill();
      await helper.kill();
      await helper.start();
      // Without a keyring the session was in memory only.
      const { page } = await launch({ languages: [languageTags[language]] });
      const login = new LoginRoute(page, language);
      await expect(login.held).toBeVisible();
      expect(await seenByFarSide(lab)).toBeUndefined();
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await clippedTexts(page)).toEqual([]);
      await login.unblock.click();
      await expect(login.held).toBeHidden();
      await expect.poll(() => seenByFarSide(lab)).toBe(addresses.user.ipv4);
      await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    });
  }

  test('without the kill switch, a tunnel that needs a new sign-in opens traffic', async ({
    connected: connect,
    lab,
    networkBefore,
  }) => {
    await using _ = await refuseSignIns(lab.gateway);
    await expect(connect.says('reason.signInRefused')).toBeVisible({ timeout: waitLimit(60_000) });
    await expect(connect.says('connect.exposed')).toBeVisible();
    await expect(connect.unblock).toBeHidden();
    expect(await seenByFarSide(lab)).toBe(addresses.user.ipv4);
    expect(await lab.user.snapshot()).toBe(networkBefore);
  });
});

test('both settings are off at first, switched by keyboard or finger, and fall back when not kept (spec §8)', async ({
  settings,
  directory,
}) => {
  const { page } = settings;
  const names = ['killSwitch', 'localNetwork'] as const;
  for (const name of names) {
    const setting = settings[name];
    await expect(setting).not.toBeChecked();
    await expect(setting).toHaveAccessibleDescription(settings.words(`protection.${name}Text`));
    await tabTo(setting);
    await page.keyboard.press('Space');
    await expect(setting).toBeChecked();
    await expect(setting).toBeFocused();
  }
  await page.reload();
  for (const name of names) await expect(settings[name]).toBeChecked();

  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of names) {
    const row = settings.labelOf(settings[name]);
    const box = await row.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(box?.width).toBeGreaterThan(180);
    await row.click({ position: { x: 4, y: (box?.height ?? 0) - 4 } });
    await expect(settings[name]).not.toBeChecked();
  }

  const file = path.join(directory, 'app/settings.json');
  // What is shown already may still be on its way to the disk; the copy is written last.
  const copy = path.join(directory, 'app/settings.last-good.json');
  await expect
    .poll(async () => JSON.parse(await readFile(copy, 'utf8')) as unknown)
    .toMatchObject({ killSwitch: false, localNetwork: false });
  // A folder with something in it cannot be replaced by a file, not even by root.
  await expect(async () => {
    await rm(file, { force: true });
    await mkdir(path.join(file, 'in-the-way'), { recursive: true });
  }).toPass();
  await settings.killSwitch.click();
  await expect(settings.says('error.storage')).toBeVisible();
  await expect(settings.killSwitch).not.toBeChecked();
  await page.reload();
  await expect(settings.localNetwork).not.toBeChecked();
  await expect(settings.killSwitch).not.toBeChecked();
});
