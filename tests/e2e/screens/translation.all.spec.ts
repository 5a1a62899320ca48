import type { Page } from 'playwright/test';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { names } from '../../lab/network/addresses.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { openScreen } from '../support/screens/screens.ts';
import { offlineScreen } from '../support/screens/screen-states.ts';
import { chooserScreens } from '../support/screens/server-list-screens.ts';
import { texts } from '../support/screens/texts.ts';
import { noteFailures, staleTexts, translatePage } from '../support/screens/translate-page.ts';
import { openSignedIn } from '../support/tunnel/sign-in.ts';

test.describe('a page that the browser translates', () => {
  test.describe.configure({ timeout: waitLimit(150_000) });

  test('tells each phase and attempt of connecting', async ({ signInInApp }) => {
    const { app, page } = await signInInApp('android');
    const connect = new ConnectRoute(page);
    await connect.follow();
    await expect(connect.heading).toBeVisible();
    const failures = noteFailures(page);
    await translatePage(page);
    const gateway = { host: names.gateway, port: 443 };
    const become = (attempt: number, phase: (TunnelState & { state: 'connecting' })['phase']) =>
      app.become({ state: 'connecting', gateway, attempt, phase });
    for (const [attempt, phase, text] of [
      [1, 'resolving', 'connect.phaseResolving'],
      [1, 'handshaking', 'connect.phaseHandshaking'],
      [2, 'waiting', 'connect.phaseWaiting'],
      [3, 'waiting', 'connect.phaseWaiting'],
      [1, 'resolving', 'connect.phaseResolving'],
    ] as const) {
      become(attempt, phase);
      const said = texts.en[text] + (attempt === 1 ? '' : ` · attempt ${attempt}`);
      await expect(page.getByText(said, { exact: true })).toBeVisible();
    }
    app.become({ state: 'disconnected' });
    await expect(connect.connect).toBeVisible();
    expect(await staleTexts(page)).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('says how fast servers are', async ({ signInInApp }) => {
    const { app, page } = await signInInApp('android');
    const measured = chooserScreens(page, 'en', app).find(({ name }) => name === 'servers-measured');
    if (!measured) throw new Error('no such screen');
    const connect = new ConnectRoute(page);
    await openScreen({
      ...measured,
      act: async () => {
        await translatePage(page);
        await measured.act?.();
      },
    });
    for (const domain of app.latencies?.keys() ?? []) app.latencies?.set(domain, 7);
    await connect.measure.click();
    await expect(page.getByText('7 ms').first()).toBeVisible();
    expect(await staleTexts(page)).toEqual([]);
    await measured.leave?.();
  });
});

test.describe('a page whose elements somebody else has moved, as extensions of browsers do,', () => {
  /** Puts this element of the page into another one. */
  const move = (page: Page, selector: string) =>
    page.locator(selector).evaluate((element) => {
      const around = document.createElement('div');
      element.replaceWith(around);
      around.append(element);
    });
  const crashed = (page: Page) => page.getByRole('heading', { name: texts.en['crash.title'] });

  test('is shown anew, with what is so by then', async ({ signInInApp }) => {
    const { app, page } = await signInInApp('android');
    const connect = new ConnectRoute(page);
    await connect.follow();
    app.become({ state: 'disconnected', reason: 'gateway-certificate-refused' });
    await expect(connect.says('reason.gatewayCertificateRefused')).toBeVisible();
    const failures = noteFailures(page);
    await move(page, 'section[aria-labelledby="tunnel-status"] [role="alert"]');
    app.become({ state: 'disconnected' });
    await expect.poll(() => failures.length, 'the control').toBeGreaterThan(0);
    await expect(connect.connect).toBeVisible();
    await expect(crashed(page)).toBeHidden();
    await expect(connect.says('reason.gatewayCertificateRefused')).toBeHidden();
  });

  test('is shown anew where that is around every page', async ({ browserHere, serviceHere, email }) => {
    const page = await openSignedIn(browserHere, serviceHere, email);
    const offline = offlineScreen(page, 'en');
    await openScreen(offline);
    const failures = noteFailures(page);
    await move(page, 'output > span');
    await offline.leave?.();
    await expect.poll(() => failures.length, 'the control').toBeGreaterThan(0);
    await expect(offline.route.heading).toBeVisible();
    await expect(crashed(page)).toBeHidden();
  });
});
