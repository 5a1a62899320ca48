import { expect } from '../fixtures.ts';
import { AddMemberRoute } from '../routes/add-member-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { MembersRoute } from '../routes/members-route.ts';
import { MembershipCards } from '../routes/membership-cards.ts';
import { must } from '../support/service/api-user.ts';
import { makeMember, signInPayer } from '../support/service/payer.ts';
import { arriveSignedIn, launchSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { openConsole } from '../support/service/web-console.ts';
import { test } from '../webview/webview-fixtures.ts';

const dayMs = 24 * 3_600_000;

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
  await page.clock.fastForward(14 * dayMs + 60_000);
  await expect(members.expired).toBeVisible();
  await expect(members.invited).toBeHidden();
  await members.inviteAgain.click();
  await expect(members.added).toBeVisible();
});
