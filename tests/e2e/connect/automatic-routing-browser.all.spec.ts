import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addresses, names } from '../../lab/network/addresses.ts';
import { startDesktopSession, type DesktopSession } from '../../lab/desktop/desktop-session.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { gnome, openDesktopBrowser } from '../support/machine/desktop-browser.ts';
import { connectAutomatically, openConnectTab } from '../support/tunnel/connect.ts';
import { routed } from '../support/tunnel/route-lists.ts';
import { launchSignedIn, signIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

/** How long a browser may take to hear of other domains. */
const holds = () => ({ timeout: waitLimit(5000) });
/** What is seen of somebody who comes through the tunnel to a machine inside, or beyond it. */
const inside = new RegExp(
  `^(?:198\\.51\\.100\\.1\\d\\d|2001:db8:2:100:.*|${addresses.gateway.ipv4}|${addresses.gateway.ipv6})$`,
);
/** The user's default browser: it notes how it was started, and stays until it is closed. */
async function fakeBrowser(
  directory: string,
  noted: string,
): Promise<{ readonly programs: string } & Disposable> {
  const programs = path.join(directory, 'programs');
  await mkdir(programs, { recursive: true });
  const script = `#!/bin/sh\necho $$ > ${noted}.pid; echo "$@" > ${noted}.new && mv ${noted}.new ${noted}\nexec sleep 1000\n`;
  await writeFile(path.join(programs, 'brave-browser'), script, { mode: 0o755 });
  const answer = '#!/bin/sh\necho brave-browser.desktop\n';
  await writeFile(path.join(programs, 'xdg-settings'), answer, { mode: 0o755 });
  return {
    programs,
    [Symbol.dispose]() {
      const file = `${noted}.pid`;
      if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')));
    },
  };
}
const proxySettings = (session: DesktopSession) =>
  session.user('gsettings', 'list-recursively', 'org.gnome.system.proxy');

test.describe('spec §4, route mode', () => {
  test('global by default, and with automatic routing the desktop uses pac mode, which changes while connected', async ({
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
    using fake = await fakeBrowser(directory, windowArguments);
    const env = { ...session.env, ...gnome, PATH: `${fake.programs}:${process.env['PATH']}` };
    const firstCodeAt = performance.now();
    const first = await launchSignedIn(launch, service, email, { env });
    const connect = await openConnectTab(first.page);
    await connect.expectOn('global');
    await using browser = await openDesktopBrowser(lab, session);
    const [listed, other] = [names.where, names.direct];
    expect(await browser.seenBy(listed)).toBe(addresses.user.ipv6);

    const pacUrl = await connectAutomatically(connect);
    await connect.tunnelWindow.click();
    const windowProxy = `--proxy-server=socks5://${new URL(pacUrl).host}`;
    await expect.poll(() => readFile(windowArguments, 'utf8').catch(() => '')).toContain(windowProxy);
    await expect.poll(() => proxySettings(session)).toContain(`autoconfig-url '${pacUrl}'`);
    // The VPN's resolver has another machine of that name, inside; a page there sees an address of its pool.
    await expect.poll(() => browser.seenBy(listed)).toMatch(inside);
    expect(await browser.seenBy(other)).toBe(addresses.user.ipv6);
    expect(await browser.seenBy(`tracker.${routed.blockedDomains[0]}`)).toBeUndefined();

    // What the user adds and takes away holds in a browser that runs.
    await connect.inSettings(async (settings) => {
      await settings.through.fill('192.0.2.1');
      await settings.through.press('Enter');
      await expect(settings.says('routing.domainsInvalid')).toBeVisible();
      await settings.through.fill(`https://${other.toUpperCase()}/page`);
      await settings.through.press('Enter');
      await expect(settings.through).toHaveValue(other);
      await expect.poll(() => browser.seenBy(other), holds()).toMatch(inside);
      await settings.direct.fill(`${other} ${listed}`);
      await settings.direct.press('Enter');
      await expect(settings.through).toHaveValue('');
      await expect.poll(() => browser.seenBy(listed), holds()).toBe(addresses.user.ipv6);
      expect(await browser.seenBy(other)).toBe(addresses.user.ipv6);
      await settings.direct.fill('');
      await settings.direct.press('Enter');
      await expect.poll(() => browser.seenBy(listed), holds()).toMatch(inside);
    });
    await connect.openDetails();
    await expect(connect.proxyConfiguration).toHaveText(pacUrl);

    await connect.switchOn('global');
    await connect.openDetails();
    await expect(connect.says('connect.proxyHint')).toBeHidden();
    await expect.poll(() => proxySettings(session)).toBe(settingsBefore);
    await expect.poll(() => browser.seenBy(other)).toMatch(inside);
    // What was chosen holds after the app has been killed, too.
    await connect.switchOn('automatic');
    await connect.openDetails();
    await expect(connect.says('connect.proxyHint')).toBeVisible();
    expect((await lab.user.probe.http4('direct'))?.address).toBe(addresses.user.ipv4);

    await first.kill();
    const again = await launch({ env });
    // Without a keyring the session was in memory only; another account would get nothing of it, its tunnel included, and
    // nobody is sent a second code within a minute.
    await delay(firstCodeAt + 61_000 - performance.now());
    await signIn(again.page, service, email);
    const connectAgain = await openConnectTab(again.page);
    await connectAgain.expectOn('automatic');
    await connectAgain.openDetails();
    await expect(connectAgain.proxyConfiguration).toHaveText(pacUrl);
    await connectAgain.disconnect.click();
    await expect(connectAgain.status('connect.disconnected')).toBeVisible();
    await expect.poll(() => proxySettings(session)).toBe(settingsBefore);
    await expect.poll(() => browser.seenBy(listed)).toBe(addresses.user.ipv6);
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    expect(helper.output).not.toContain('unhandled');
  });
});
