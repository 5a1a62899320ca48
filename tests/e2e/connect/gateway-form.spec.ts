import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright/test';
import type { Lab } from '../../lab/lab.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { expect, test as base, withoutRoot } from '../fixtures.ts';
import type { ConnectRoute } from '../routes/connect/connect-route.ts';
import { GatewayFormDialog } from '../routes/connect/gateway-form-dialog.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { askingGateway, startAskingGateway } from '../support/tunnel/asking-gateway.ts';
import { choosingGateway, startChoosingGateway } from '../support/tunnel/choosing-gateway.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import { deviceIdOf } from '../support/service/device-id.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags, textPattern, type TextLanguage } from '../support/screens/texts.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** What ocserv says when it wants a one-time code, and what it calls the field. */
const ocserv = { asks: 'Please enter your OTP password.', label: 'Password' };

/** A gateway that asks for a one-time code after the password. */
const test = base.extend<{ guarded: void }>({
  guarded: [
    async ({ lab }, provide) => {
      await lab.gateway.restart({ oneTimeCodes: true });
      await provide();
      await lab.gateway.restart({ oneTimeCodes: false });
    },
    { auto: true },
  ],
});

test.skip(withoutRoot, 'the laboratory needs root');

/** Presses Connect and waits for the gateway's form. */
async function connectUntilAsked(page: Page, language: TextLanguage = 'en') {
  const connect = await chooseServer(page, undefined, language);
  await connect.connect.click();
  const form = new GatewayFormDialog(page, language);
  await expect(form.dialog).toBeVisible();
  return { connect, form };
}

/** Presses Connect, answers the gateway's form with this code, and waits for the tunnel. */
async function connectWithCode(connect: ConnectRoute, form: GatewayFormDialog, code: string): Promise<void> {
  await connect.connect.click();
  await form.field(ocserv.label).fill(code);
  await form.continue.click();
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
}

/** All that the files of a folder hold. */
async function readFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) =>
    // Files are written beside their place and renamed: such a name may be gone by now.
    readFile(path.join(parentPath, name), 'latin1').catch(() => ''),
  );
  return (await Promise.all(contents)).join('\n');
}

async function expectIdle(connect: ConnectRoute, idle: 'disconnected' | 'blocked' = 'disconnected') {
  await expect(connect.status(`connect.${idle}`)).toBeVisible();
  await expect(new GatewayFormDialog(connect.page).dialog).toHaveCount(0);
}

test('the code that a gateway asks for is asked of the user and makes the tunnel, and nobody keeps it', async ({
  signedIn: app,
  lab,
  helper,
  directory,
}) => {
  const { page } = app;
  const nextCode = await lab.gateway.addOneTimeCodes(await deviceIdOf(page));
  const connect = await chooseServer(page);
  // A session is being prepared meanwhile, and meets the form: nobody is asked before the click.
  await expect(async () => expect(app.output()).toContain(ocserv.asks)).toPass();
  await expectIdle(connect);

  await connect.connect.click();
  const form = new GatewayFormDialog(page);
  await expect(form.says(ocserv.asks)).toBeVisible();
  await expect(form.dialog).toContainText(names.gateway);
  await expect(form.dialog).toHaveAccessibleDescription(new RegExp(ocserv.asks));
  await expect(connect.status('connect.connecting')).toBeVisible();
  expect((await lab.user.probe.http4('asked'))?.address, 'a code may have to be looked up').toBe(
    addresses.user.ipv4,
  );

  const field = form.field(ocserv.label);
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute('type', 'password');
  await expect(form.code).toBeVisible();
  await expect(field).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(form.continue).toBeDisabled();
  const code = nextCode();
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  await expect(form.dialog).toHaveCount(0);
  expect((await lab.user.probe.http4('connected'))?.address).toBe(addresses.gateway.ipv4);
  expect(app.output() + helper.output).not.toContain(code);
  const stored = await readFolder(path.join(directory, 'app'));
  expect(stored, 'what the app keeps was found').toContain('deviceId');
  expect(stored).not.toContain(code);

  await connect.disconnect.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await test.step('a hostile form is only text, fits a phone, and tells a wrong answer before it asks again', async () => {
    await expectOnlyText(page, lab);
  });
  await test.step('a group is chosen, and a banner is read', async () => {
    await expectGroupsAndBanner(page, lab);
  });
});

/** What a gateway asks for that nobody should trust, in the place of the laboratory's. */
async function expectOnlyText(page: Page, lab: Lab): Promise<void> {
  await using gateway = await startAskingGateway(lab);
  const { connect, form } = await connectUntilAsked(page);
  const code = form.field('Code_of_aaa');
  const wide = page.viewportSize() ?? { width: 1200, height: 800 };
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(form.says('<img src="x"')).toBeVisible();
  await expect(form.dialog.locator('img')).toHaveCount(0);
  expect(await page.title()).not.toBe('owned');
  expect(await clippedTexts(page)).toEqual([]);
  await expectNoViolations(page, 'a long form');
  await expect(form.again).toBeHidden();
  await page.setViewportSize(wide);

  await form.field(askingGateway.method.label).selectOption('By mail');
  await code.fill('wrong & <old>');
  await form.continue.click();
  await expect(form.again).toBeVisible();
  await expect(form.says('Wrong <b>code</b>.')).toBeVisible();
  await expect(code, 'nothing of the first answer is left').toHaveValue('');
  await code.fill('654321');
  await form.continue.click();
  await expect(connect.says('reason.answerRefused')).toBeVisible();
  await expectIdle(connect);
  await expect
    .poll(() => gateway.replies)
    .toEqual([
      { method: 'By mail', code: 'wrong &amp; &lt;old&gt;' },
      { method: 'By app', code: '654321' },
    ]);
}

/** A gateway with groups: nobody is signed in before one is chosen, nor goes on before its banner is read. */
async function expectGroupsAndBanner(page: Page, lab: Lab): Promise<void> {
  await using gateway = await startChoosingGateway(lab);
  const connect = await chooseServer(page);
  await connect.connect.click();
  const groups = page.getByRole('dialog', { name: textPattern('en', 'gatewayForm.groupTitle') });
  await expect(groups.getByRole('option')).toHaveText(Object.values(choosingGateway.groups));
  expect(gateway.signIns).toEqual([]);
  await groups.getByLabel('GROUP').selectOption(choosingGateway.groups.plain);
  await groups.getByRole('button', { name: textPattern('en', 'gatewayForm.continue') }).click();
  const banner = page.getByRole('dialog', { name: textPattern('en', 'gatewayForm.bannerTitle') });
  await expect(banner).toContainText(choosingGateway.banner);
  await page.keyboard.press('Enter');
  await expect(banner).toHaveCount(0);
  await expect.poll(() => gateway.signIns[0]).toEqual({ group: 'plain' });
  // It makes no tunnels. A click on Cancel could come when that button has become Connect.
  await expectIdle(connect);
}

if (isExhaustive)
  test('a wrong code: told as such, the network is as before, and the next try succeeds', async ({
    signedIn: { page },
    lab,
    networkBefore,
  }) => {
    const nextCode = await lab.gateway.addOneTimeCodes(await deviceIdOf(page));
    const { connect, form } = await connectUntilAsked(page);
    await form.field(ocserv.label).fill('000000');
    await form.continue.click();
    await expect(connect.says('connect.failed')).toBeVisible();
    await expect(connect.says('reason.answerRefused')).toBeVisible();
    await expectIdle(connect);
    expect(await lab.user.snapshot()).toBe(networkBefore);

    await connectWithCode(connect, form, nextCode());
  });

if (isExhaustive)
  test('with the kill switch on nothing leaves while the user is asked, nor after a cancel, until the user opens traffic', async ({
    signedIn: { page },
    lab,
    networkBefore,
  }) => {
    const nextCode = await lab.gateway.addOneTimeCodes(await deviceIdOf(page));
    const reached = async (what: string) => (await lab.user.probe.http4(what))?.address;
    expect(await reached('before')).toBe(addresses.user.ipv4);
    const tab = await chooseServer(page);
    await tab.switchOn('killSwitch');
    const { connect, form } = await connectUntilAsked(page);
    expect(await reached('asked')).toBeUndefined();
    await form.cancel.click();
    await expectIdle(connect, 'blocked');
    expect(await reached('cancelled')).toBeUndefined();
    await connect.unblock.click();
    await expectIdle(connect);
    expect(await lab.user.snapshot()).toBe(networkBefore);

    await connectWithCode(connect, form, nextCode());
    expect(await reached('connected')).toBe(addresses.gateway.ipv4);
  });

if (isExhaustive)
  test('a page that is reloaded while it is asked is asked again, on whatever tab', async ({
    signedIn: { page },
    lab,
  }) => {
    const nextCode = await lab.gateway.addOneTimeCodes(await deviceIdOf(page));
    const { form } = await connectUntilAsked(page);
    await page.goto(new URL('/dashboard', page.url()).href);
    await expect(form.says(ocserv.asks)).toBeVisible();
    await page.reload();
    await expect(form.field(ocserv.label)).toBeFocused();
    await form.field(ocserv.label).fill(nextCode());
    await form.continue.click();
    await expect(form.dialog).toHaveCount(0);
    await new Tabs(page).connect.click();
    const connect = await chooseServer(page);
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  });

if (isExhaustive)
  for (const language of languages) {
    test(`the form passes axe, fits a phone, and ends the attempt without an alarm by Cancel or Escape: ${language}`, async ({
      helper,
      service,
      launch,
      lab,
      email,
      networkBefore,
    }) => {
      const app = await launch({ languages: [languageTags[language]] });
      const { page } = app;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await signIn(page, service, email, language);
      await lab.gateway.addOneTimeCodes(await deviceIdOf(page));
      const { connect, form } = await connectUntilAsked(page, language);
      for (const dark of [false, true]) {
        await app.setDark(dark);
        await expectNoViolations(page, dark ? 'dark' : 'light');
      }
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await clippedTexts(page)).toEqual([]);
      for (const target of [form.cancel, form.continue, form.field(ocserv.label)]) {
        expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
      for (const cancel of [() => form.cancel.click(), () => form.field(ocserv.label).press('Escape')]) {
        await cancel();
        await expect(connect.status('connect.disconnected')).toBeVisible();
        await expect(form.dialog).toHaveCount(0);
        await expect(connect.says('reason.signInCancelled')).toBeVisible();
        await expect(connect.failed).toHaveCount(0);
        await expect(connect.connect).toBeFocused();
        expect(await lab.user.snapshot()).toBe(networkBefore);
        await connect.connect.click();
        await expect(form.dialog).toBeVisible();
      }
      await form.cancel.click();
      await expect(form.dialog).toHaveCount(0);
      expect(helper.output).not.toContain('the gateway has named its terms');
    });
  }
