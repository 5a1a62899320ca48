import type { Page } from 'playwright/test';
import { expect } from '../fixtures.ts';
import { MembershipCards } from '../routes/account/membership-cards.ts';
import { must } from '../support/service/api-user.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { payerOf, signInPayer, makeMember } from '../support/service/payer.ts';
import { arriveSignedIn, openSignedIn, launchSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { test } from '../webview/webview-fixtures.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { AddMemberRoute } from '../routes/manage/add-member-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { openConsole } from '../support/service/web-console.ts';

test('a removed member keeps the session, the devices and the trial', async ({
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

test('an invitation expires while the page is open, and can be made again', async ({
  launchHere,
  serviceHere,
  email,
}) => {
  const user = await signInPayer(serviceHere, email);
  const guest = `guest-of-${email}`;
  must(await user.call('addMember', { body: { loginId: guest, loginType: 'email' } }));
  await makeMember(user, `friend-of-${email}`, serviceHere);
  const { page } = await launchHere();
  await page.clock.install();
  await arriveSignedIn(page, serviceHere, email);
  const members = new MembersRoute(page);
  await members.follow();
  await expect(members.invited).toBeVisible();
  const { items } = must(await user.call('members'));
  // By the service's clock, which other tests move on.
  const end = items.find(({ loginId }) => loginId === guest)?.invitation?.expiresAt ?? '';
  await page.clock.fastForward(Date.parse(end) - Date.now() + 60_000);
  await expect(members.expired).toBeVisible();
  await expect(members.invited).toBeHidden();
  await members.inviteAgain.click();
  await expect(members.added).toBeVisible();
  // By the page's clock, that one would be over already.
  await page.clock.setSystemTime(new Date());
  await page.clock.runFor(61_000);
  await expect(members.inviteAgain).toHaveCount(0);
  await expect(members.row(guest)).toBeFocused();
});

test('the whole path with two browsers: invited by mail, signed in, accepted, left, invited again, declined', async ({
  browserHere,
  launchHere,
  serviceHere,
  email,
}) => {
  const payer = `payer-of-${email}`;
  await signInPayer(serviceHere, payer);
  const { page: app } = await launchSignedIn(launchHere, serviceHere, payer);
  const members = new MembersRoute(app);
  const invite = async () => {
    const add = new AddMemberRoute(app);
    await add.follow();
    await add.email.fill(email);
    await add.add.click();
    await expect(members.heading).toBeVisible();
    await expect(members.row(email)).toContainText('Invited');
  };
  await invite();
  await expect(members.added).toBeVisible();

  // Who has no account yet reads the mail, and signs in with the address that it names.
  expect(await serviceHere.mailbox.newest(email)).toContain(`${payer} invites you`);
  const page = await openConsole(browserHere, serviceHere, { path: '/dashboard' });
  await signIn(page, serviceHere, email);
  const cards = new MembershipCards(page);
  await expect(cards.invitedBy(payer)).toBeVisible();
  await expect(page.getByText('Owner', { exact: true })).toBeVisible();
  await expect(cards.membership).toBeHidden();
  await cards.accept.dblclick();
  await expect(cards.accepted).toBeVisible();
  await expect(cards.heading).toBeFocused();
  await expect(cards.invitation).toBeHidden();
  await expect(page.getByText('Gift', { exact: true })).toBeVisible();
  await expect(cards.membership).toContainText(payer);
  await expect(new ManageLinks(page).to('section.members')).toBeHidden();
  await members.open();
  await expect(members.row(email)).toBeVisible();
  await expect(members.invited).toBeHidden();
  await expect(members.remove(email)).toBeVisible();

  await cards.leave.click();
  await cards.confirmLeaving.dblclick();
  await expect(cards.left).toBeVisible();
  await expect(cards.membership).toBeHidden();
  await expect(cards.heading).toBeFocused();
  await expect(cards.noPlan).toBeVisible();
  await members.open();
  await expect(members.empty).toBeVisible();

  await invite();
  await cards.open();
  await cards.decline.click();
  await expect(cards.declined).toBeVisible();
  await expect(cards.invitation).toBeHidden();
  await members.open();
  await expect(members.empty).toBeVisible();
});
