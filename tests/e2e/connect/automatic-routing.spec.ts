import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Browser } from 'playwright';
import { addresses, names } from '../../lab/network/addresses.ts';
import { startDesktopSession, type DesktopSession } from '../../lab/desktop/desktop-session.ts';
import type { Lab } from '../../lab/lab.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { chromiumExecutable, quietArguments } from '../../stand-in/chromium.ts';
import { chromiumIn } from '../support/machine/chromium-in.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { routed } from '../support/tunnel/route-lists.ts';
import { serverNames } from '../support/service/service.ts';
import { launchSignedIn, signIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

/** The user's browser in a GNOME session, whose proxy settings it follows; the headless shell would not. */
async function openBrowser(lab: Lab, session: DesktopSession): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumIn(lab.user, session.directory, chromiumExecutable),
    args: [...quietArguments(), '--headless=new'],
    env: { ...process.env, ...session.env, ...gnome },
  });
}

/** How long a browser may take to hear of other domains. */
const holds = () => ({ timeout: waitLimit(5000) });
/** What is seen of somebody who comes through the tunnel to a machine inside, or beyond it. */
const inside = new RegExp(
  `^(?:198\\.51\\.100\\.1\\d\\d|2001:db8:2:100:.*|${addresses.gateway.ipv4}|${addresses.gateway.ipv6})$`,
);
const gnome = { XDG_CURRENT_DESKTOP: 'GNOME' };
/** The user's default browser: it notes how it was started, and stays until it is closed. */
async function fakeBrowser(directory: string, noted: string): Promise<string> {
  const programs = path.join(directory, 'programs');
  await mkdir(programs, { recursive: true });
  const script = `#!/bin/sh\necho "$@" > ${noted}.new && mv ${noted}.new ${noted}\nexec sleep 1000\n`;
  await writeFile(path.join(programs, 'brave-browser'), script, { mode: 0o755 });
  const answer = '#!/bin/sh\necho brave-browser.desktop\n';
  await writeFile(path.join(programs, 'xdg-settings'), answer, { mode: 0o755 });
  return programs;
}
const proxySettings = (session: DesktopSession) =>
  session.user('gsettings', 'list-recursively', 'org.gnome.system.proxy');

/** The source address that a page saw; undefined if it could not be opened. */
async function seenBy(browser: Browser, host: string): Promise<string | undefined> {
  const page = await browser.newPage();
  try {
    await page.goto(`http://${host}/`);
    return await page.locator('#address').innerText();
  } catch {
    return undefined;
  } finally {
    await page.close();
  }
}

test.describe('spec §4, route mode', () => {
  test('global by default; with automatic routing the desktop uses pac mode, which changes while connected', async ({
    networkBefore,
    helper,
    lab,
    service,
    email,
    directory,
    launch,
  }) => {
    await using session = await startDesktopSession();
    const settingsBefore = await proxySettings(session);
    const windowArguments = path.join(directory, 'window-arguments');
    const programs = await fakeBrowser(directory, windowArguments);
    const env = { ...session.env, ...gnome, PATH: `${programs}:${process.env['PATH']}` };
    const first = await launchSignedIn(launch, service, email, { env });
    const connect = await openConnectTab(first.page);
    await connect.expectOn('global');
    const browser = await openBrowser(lab, session);
    const [listed, other] = [names.where, names.direct];
    expect(await seenBy(browser, listed)).toBe(addresses.user.ipv6);

    await connect.switchOn('automatic');
    await connect.choose(serverNames.first);
    await connect.connect.click();
    await expect(connect.status('connect.connected')).toBeVisible();
    await connect.openDetails();
    await expect(connect.says('connect.proxyHint')).toBeVisible();
    const pacUrl = await connect.proxyConfiguration.innerText();
    if (isExhaustive) {
      await connect.tunnelWindow.click();
      const windowProxy = `--proxy-server=socks5://${new URL(pacUrl).host}`;
      await expect.poll(() => readFile(windowArguments, 'utf8').catch(() => '')).toContain(windowProxy);
    }
    await expect.poll(() => proxySettings(session)).toContain(`autoconfig-url '${pacUrl}'`);
    // The VPN's resolver has another machine of that name, inside; a page there sees an address of its pool.
    await expect.poll(() => seenBy(browser, listed)).toMatch(inside);
    expect(await seenBy(browser, other)).toBe(addresses.user.ipv6);
    expect(await seenBy(browser, `tracker.${routed.blockedDomains[0]}`)).toBeUndefined();

    // What the user adds and takes away holds in a browser that runs.
    await connect.inSettings(async (settings) => {
      if (isExhaustive) {
        await settings.through.fill('192.0.2.1');
        await settings.through.press('Enter');
        await expect(settings.says('routing.domainsInvalid')).toBeVisible();
      }
      await settings.through.fill(`https://${other.toUpperCase()}/page`);
      await settings.through.press('Enter');
      await expect(settings.through).toHaveValue(other);
      await expect.poll(() => seenBy(browser, other), holds()).toMatch(inside);
      await settings.direct.fill(`${other} ${listed}`);
      await settings.direct.press('Enter');
      await expect(settings.through).toHaveValue('');
      await expect.poll(() => seenBy(browser, listed), holds()).toBe(addresses.user.ipv6);
      if (!isExhaustive) return;
      expect(await seenBy(browser, other)).toBe(addresses.user.ipv6);
      await settings.direct.fill('');
      await settings.direct.press('Enter');
      await expect.poll(() => seenBy(browser, listed), holds()).toMatch(inside);
    });
    if (isExhaustive) {
      await connect.openDetails();
      await expect(connect.proxyConfiguration).toHaveText(pacUrl);
    }

    await connect.switchOn('global');
    await connect.openDetails();
    await expect(connect.says('connect.proxyHint')).toBeHidden();
    await expect.poll(() => proxySettings(session)).toBe(settingsBefore);
    await expect.poll(() => seenBy(browser, other)).toMatch(inside);
    if (isExhaustive) await expectFoundAgain();
    else await connect.disconnect.click();
    await expect.poll(() => seenBy(browser, listed)).toBe(addresses.user.ipv6);
    await browser.close();
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    expect(helper.output).not.toContain('unhandled');

    /** What was chosen holds after the app has been killed, too. */
    async function expectFoundAgain(): Promise<void> {
      await connect.switchOn('automatic');
      await connect.openDetails();
      await expect(connect.says('connect.proxyHint')).toBeVisible();
      expect((await lab.user.probe.http4('direct'))?.address).toBe(addresses.user.ipv4);

      await first.kill();
      const again = await launch({ env });
      // Without a keyring the session was in memory only; the service sends nobody a second code so soon.
      await signIn(again.page, service, `again-${email}`);
      const connectAgain = await openConnectTab(again.page);
      await connectAgain.expectOn('automatic');
      await connectAgain.openDetails();
      await expect(connectAgain.proxyConfiguration).toHaveText(pacUrl);
      await connectAgain.disconnect.click();
      await expect(connectAgain.status('connect.disconnected')).toBeVisible();
      await expect.poll(() => proxySettings(session)).toBe(settingsBefore);
    }
  });
});
