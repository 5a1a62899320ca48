import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { expect } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { DevicesRoute } from '../routes/manage/devices-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { MembershipCards } from '../routes/account/membership-cards.ts';
import { must } from '../support/service/api-user.ts';
import { signInPayer } from '../support/service/payer.ts';
import { launchSignedIn, openSignedIn } from '../support/tunnel/sign-in.ts';
import { test } from '../webview/webview-fixtures.ts';

/** What happens to an account elsewhere is displayed at once by whatever is open, without anything being done there. */

test('an invitation, a plan and its end reach browser, webview and app, and a revoked one is signed out', async ({
  launchHere,
  browserHere,
  signInInApp,
  serviceHere,
  email,
}) => {
  const desktop = isExhaustive ? [(await launchSignedIn(launchHere, serviceHere, email)).page] : [];
  const web = await openSignedIn(browserHere, serviceHere, email);
  // A second page of the same browser hears by the first one's stream, once that is the one that has it.
  await expect.poll(() => web.evaluate(async () => (await navigator.locks.query()).held)).toHaveLength(1);
  const second = await web.context().newPage();
  const streams: string[] = [];
  second.on('request', (request) => streams.push(new URL(request.url()).pathname));
  await second.goto(`${serviceHere.consoleUrl}/dashboard`);
  const { page: inApp } = await signInInApp('android');
  const pages = [...desktop, web, second, inApp];
  for (const page of pages) await expect(new AccountRoute(page).noPlan).toBeVisible();

  const payer = await signInPayer(serviceHere, `payer-of-${email}`);
  must(await payer.call('addMember', { body: { loginId: email, loginType: 'email' } }));
  for (const page of pages) await expect(new MembershipCards(page).accept).toBeVisible();

  // Accepted in one browser; the others follow.
  await new MembershipCards(web).accept.click();
  for (const page of pages) {
    const cards = new MembershipCards(page);
    await expect(cards.membership).toBeVisible();
    await expect(cards.active).toBeVisible();
    await expect(cards.invitation).toBeHidden();
  }
  must(await payer.call('removeMember', { params: { loginId: email } }));
  for (const page of pages) await expect(new AccountRoute(page).noPlan).toBeVisible();
  expect(streams).not.toContain('/api/events');

  // The list of devices is displayed elsewhere when one of them ends the others.
  const devices = new DevicesRoute(desktop[0] ?? inApp);
  await devices.follow();
  await expect(devices.current).toBeVisible();
  await devices.revokeAll.click();
  await devices.confirmAll.click();
  for (const page of pages) await expect(new LoginRoute(page).heading).toBeVisible();
});

test('what changed after a page had loaded, and before its stream was open, is displayed once it is', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const page = await openSignedIn(browserHere, serviceHere, email);
  const { promise: opening, resolve: open } = Promise.withResolvers<void>();
  await page.route('**/api/events', async (route) => {
    await opening;
    await route.continue();
  });
  const asking = page.waitForResponse('**/api/invitations');
  await page.reload();
  await asking;
  await expect(new AccountRoute(page).noPlan).toBeVisible();
  const payer = await signInPayer(serviceHere, `payer-of-${email}`);
  must(await payer.call('addMember', { body: { loginId: email, loginType: 'email' } }));
  open();
  await expect(new MembershipCards(page).accept).toBeVisible();
});
