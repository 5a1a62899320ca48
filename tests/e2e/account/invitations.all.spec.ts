import type { Page } from 'playwright/test';
import { expect } from '../fixtures.ts';
import { MembershipCards } from '../routes/membership-cards.ts';
import { must } from '../support/service/api-user.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { payerOf, signInPayer } from '../support/service/payer.ts';
import { arriveSignedIn, openSignedIn } from '../support/tunnel/sign-in.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { test } from '../webview/webview-fixtures.ts';

test('who is removed keeps the session, the devices and the trial', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const payer = await payerOf(email, serviceHere);
  const page = await openSignedIn(browserHere, serviceHere, email);
  const cards = new MembershipCards(page);
  await expect(cards.membership).toBeVisible();
  must(await payer.call('removeMember', { params: { loginId: email } }));
  // What is kept of the account for an hour is not asked for again by itself (specification §9).
  await page.evaluate(() => localStorage.removeItem('user'));
  await cards.open();
  await expect(cards.membership).toBeHidden();
  await expect(page.getByText('Owner', { exact: true })).toBeVisible();
});

test('an invitation that was withdrawn meanwhile says so, and goes', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const payer = await signInPayer(serviceHere, `payer-of-${email}`);
  must(await payer.call('addMember', { body: { loginId: email, loginType: 'email' } }));
  const page = await openSignedIn(browserHere, serviceHere, email);
  // Before the service has said so.
  await withoutEvents(page.context());
  await page.reload();
  const cards = new MembershipCards(page);
  await expect(cards.accept).toBeVisible();
  must(await payer.call('removeMember', { params: { loginId: email } }));
  await cards.accept.click();
  await expect(page.getByText('This invitation is no longer valid. Ask for a new one.')).toBeVisible();
  await expect(cards.invitation).toBeHidden();
});

for (const host of ['desktop', 'webview'] as const) {
  test(`in the ${host} app an invitation is accepted, and the plan left`, async ({
    launchHere,
    openInApp,
    serviceHere,
    email,
  }) => {
    const payer = await signInPayer(serviceHere, `payer-of-${email}`);
    must(await payer.call('addMember', { body: { loginId: email, loginType: 'email' } }));
    const { page }: { page: Page } = host === 'desktop' ? await launchHere() : await openInApp('android');
    await arriveSignedIn(page, serviceHere, email);
    const cards = new MembershipCards(page);
    await expect(cards.invitedBy(`payer-of-${email}`)).toBeVisible();
    await expectNoViolations(page, `${host}, invited`);
    await cards.accept.click();
    await expect(cards.membership).toBeVisible();
    await expectNoViolations(page, `${host}, member`);
    await cards.leave.click();
    await cards.confirmLeaving.click();
    await expect(cards.membership).toBeHidden();
  });
}
