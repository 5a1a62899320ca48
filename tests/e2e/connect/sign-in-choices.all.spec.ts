import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { names } from '../../lab/network/addresses.ts';
import { expect, test as base, withoutRoot } from '../fixtures.ts';
import type { ConnectRoute } from '../routes/connect/connect-route.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import {
  choosingGateway,
  startChoosingGateway,
  type ChoosingGateway,
} from '../support/tunnel/choosing-gateway.ts';
import { untilDrawn } from '../support/host/ask-host.ts';
import type { DesktopApp } from '../support/host/desktop-app.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import { launchSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags, textPattern, texts, type TextLanguage } from '../support/screens/texts.ts';

const { groups, banner } = choosingGateway;

const test = base.extend<{ gateway: ChoosingGateway }>({
  gateway: [
    async ({ lab }, provide) => {
      await using gateway = await startChoosingGateway(lab);
      await provide(gateway);
    },
    { auto: true },
  ],
});

test.skip(withoutRoot, 'the laboratory needs root');

/** A dialog of the sign-in, by its title. */
const dialogOf = (page: Page, title: keyof typeof texts.en, language: TextLanguage = 'en') =>
  page.getByRole('dialog', { name: textPattern(language, title) });

async function chooseGroup(page: Page, label: string, language: TextLanguage = 'en') {
  const dialog = dialogOf(page, 'gatewayForm.groupTitle', language);
  await dialog.getByLabel('GROUP').selectOption(label);
  await dialog.getByRole('button', { name: textPattern(language, 'gatewayForm.continue') }).click();
}

/** Passes axe in both themes, and fits a phone. */
async function expectFit(app: DesktopApp, what: string) {
  const { page } = app;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const wide = page.viewportSize() ?? { width: 1200, height: 800 };
  await page.setViewportSize({ width: 320, height: 640 });
  for (const dark of [false, true]) {
    await app.setDark(dark);
    await expectNoViolations(page, `${what}, ${dark ? 'dark' : 'light'}`);
  }
  expect(await clippedTexts(page), what).toEqual([]);
  await page.setViewportSize(wide);
}

/** The gateway makes no tunnels: the attempt goes on until it is cancelled. */
async function giveUp(connect: ConnectRoute) {
  await connect.cancel.or(connect.connect).first().click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
}

test('the group is asked once and can be changed, and a banner is read once', async ({
  signedIn: app,
  helper,
  gateway,
}) => {
  const { page } = app;
  const connect = await chooseServer(page);
  await connect.connect.click();
  const dialog = dialogOf(page, 'gatewayForm.groupTitle');
  await expect(dialog).toContainText(names.gateway);
  await expect(dialog.getByRole('option')).toHaveText(Object.values(groups));
  await expect(dialog.getByLabel('GROUP')).toBeFocused();
  await expectFit(app, 'groups');
  await chooseGroup(page, groups.plain);
  const read = dialogOf(page, 'gatewayForm.bannerTitle');
  await expect(read).toContainText(banner);
  await expectFit(app, 'banner');
  await page.keyboard.press('Enter');
  await expect(read).toHaveCount(0);
  await expect.poll(() => gateway.signIns[0]).toEqual({ group: 'plain' });
  await giveUp(connect);

  const signIns = gateway.signIns.length;
  const from = helper.output.length;
  await connect.connect.click();
  await expect.poll(() => gateway.signIns.length).toBeGreaterThan(signIns);
  // By then the app has read what the gateway says.
  await expect.poll(() => helper.output.slice(from)).toContain('"message":"engine"');
  await untilDrawn(page);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await giveUp(connect);

  await expect(page.getByText(`Group: ${groups.plain}`)).toBeVisible();
  await page.getByRole('button', { name: texts.en['gatewayForm.changeGroup'] }).click();
  await expect(page.getByText(`Group: ${groups.plain}`)).toHaveCount(0);
  await expect(page.locator(':focus')).toBeVisible();
  await connect.connect.click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(connect.says('reason.signInCancelled')).toBeVisible();
});

test('a certificate that the gateway wants is chosen from a file, and its key is in the keychain only', async ({
  helper: _helper,
  launch,
  service,
  email,
  keyring,
  directory,
  gateway,
}) => {
  const file = writeCertificate(directory);
  const app = await launchSignedIn(launch, service, email, { env: keyring.env });
  const { page } = app;
  const connect = await chooseServer(page);
  await connect.connect.click();
  await chooseGroup(page, groups.certified);
  await expect(connect.says('reason.certificateRequired')).toBeVisible();
  await connect.connect.click();
  await chooseGroup(page, groups.certified);
  await expect(connect.says('reason.certificateRequired')).toBeVisible();

  await page.getByRole('button', { name: texts.en['gatewayCertificate.choose'] }).click();
  const dialog = dialogOf(page, 'gatewayCertificate.title');
  const use = dialog.getByRole('button', { name: texts.en['gatewayCertificate.use'] });
  await expect(dialog.getByLabel(texts.en['gatewayCertificate.file'])).toBeFocused();
  await expect(use).toBeDisabled();
  await dialog.getByLabel(texts.en['gatewayCertificate.file']).setInputFiles(file);
  await dialog.getByLabel(texts.en['gatewayCertificate.password']).fill('wrong');
  await use.click();
  await expect(dialog.getByRole('alert')).toHaveText(texts.en['gatewayCertificate.wrongPassword']);
  await expectFit(app, 'the choice of a certificate');
  await dialog.getByLabel(texts.en['gatewayCertificate.password']).fill('of the file');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Certificate: Ann Example, valid until')).toBeVisible();
  const keys = async () => (await keyring.secrets()).filter((secret) => secret.includes('PRIVATE KEY'));
  await expect.poll(keys).toHaveLength(1);

  await connect.connect.click();
  await chooseGroup(page, groups.certified);
  await expect.poll(() => gateway.signIns).toContainEqual({ group: 'certified', client: 'CN=Ann Example' });
  const read = dialogOf(page, 'gatewayForm.bannerTitle');
  await read.getByRole('button', { name: texts.en['gatewayForm.read'] }).click();
  await giveUp(connect);

  await page.getByRole('button', { name: texts.en['gatewayCertificate.remove'] }).click();
  await expect(page.getByText('Certificate: Ann Example')).toHaveCount(0);
  await expect(page.locator(':focus')).toBeVisible();
  await expect.poll(keys).toEqual([]);
});

test('the window in which one signs in by browser names its host, and is not there behind the kill switch', async ({
  signedIn: app,
  lab,
}) => {
  const { page } = app;
  const connect = await chooseServer(page);
  await test.step('the window names its host, whatever the page calls itself', async () => {
    await connect.connect.click();
    await chooseGroup(page, groups.browser);
    await expect.poll(() => app.windowTitles()).toContain(`${names.gateway} – Waymaker`);
    await giveUp(connect);
    await expect.poll(() => app.windows()).toHaveLength(1);
  });

  await test.step('with the kill switch on it is not begun, and the user is told why and can open traffic', async () => {
    await connect.switchOn('killSwitch');
    await connect.connect.click();
    await chooseGroup(page, groups.browser);
    await expect(connect.says('reason.browserSignInBlocked')).toBeVisible();
    await expect(connect.says('connect.blocked')).toBeVisible();
    expect(app.windows(), 'no window that could load nothing').toHaveLength(1);
    expect(await lab.user.probe.http4('held'), 'traffic stays blocked').toBeUndefined();
    await connect.unblock.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    expect(await lab.user.probe.http4('open')).toBeDefined();
  });
});

for (const language of languages.filter((name) => name !== 'en')) {
  test(`the dialogs pass axe and fit a phone: ${language}`, async ({
    helper: _helper,
    launch,
    service,
    email,
  }) => {
    const app = await launch({ languages: [languageTags[language]] });
    const { page } = app;
    await signIn(page, service, email, language);
    const connect = await chooseServer(page, undefined, language);
    await connect.connect.click();
    await expect(dialogOf(page, 'gatewayForm.groupTitle', language)).toBeVisible();
    await expectFit(app, 'groups');
    await chooseGroup(page, groups.certified, language);
    await expect(connect.says('reason.certificateRequired')).toBeVisible();
    await page.getByRole('button', { name: textPattern(language, 'gatewayCertificate.choose') }).click();
    await expect(dialogOf(page, 'gatewayCertificate.title', language)).toBeVisible();
    await expectFit(app, 'certificate');
    await page.keyboard.press('Escape');
    await connect.connect.click();
    await chooseGroup(page, groups.plain, language);
    await expect(dialogOf(page, 'gatewayForm.bannerTitle', language)).toBeVisible();
    await expectFit(app, 'banner');
  });
}

/** A PKCS#12 file whose password is "of the file". */
function writeCertificate(directory: string): string {
  const file = (name: string) => path.join(directory, name);
  writeFileSync(file('password'), 'of the file');
  const pem = ['-keyout', file('client.key'), '-out', file('client.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=Ann Example', ...pem],
    {
      stdio: 'ignore',
    },
  );
  const from = ['-inkey', file('client.key'), '-in', file('client.pem')];
  const to = ['-out', file('client.p12'), '-passout', `file:${file('password')}`];
  execFileSync('openssl', ['pkcs12', '-export', ...from, ...to]);
  return file('client.p12');
}
