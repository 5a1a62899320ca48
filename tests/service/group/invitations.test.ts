import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { users } from '../../../src/service/database/schema/account.ts';
import { invitations } from '../../../src/service/database/schema/group.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { newEmail, signedIn, startTestService, type TestDevice, type TestService } from '../test-service.ts';
import { accept, givePlan, invitationsOf, invite, makeMember, newMember, newPayer } from './membership.ts';
import { inPages } from './pages.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

const over = {
  ok: false,
  failure: { kind: 'service', code: 404, msg: 'This invitation is no longer valid. Ask for a new one.' },
};

describe('invitations', () => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService();
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const decline = (device: TestDevice, id: string) =>
    device.client.call('declineInvitation', { params: { id } });
  const remove = (device: TestDevice, loginId: string) =>
    device.client.call('removeMember', { params: { loginId } });
  const membersOf = async (device: TestDevice) => {
    const result = await device.client.call('members');
    return result.ok ? result.data.items : result;
  };
  const levelOf = async (device: TestDevice) => {
    const result = await device.client.call('userInfo');
    return result.ok ? result.data.profile.level : result;
  };
  const seatsUsed = async (device: TestDevice) => {
    const result = await device.client.call('userInfo');
    return result.ok ? result.data.profile.seatsUsed : result;
  };
  const invitationMails = async (device: TestDevice, email: string) =>
    (await device.mails(email)).filter(({ subject }) => subject.includes('invitation'));
  /** A new account that is invited by a new payer. */
  async function invited(seats = 2) {
    const payer = await newPayer(running, seats);
    const email = newEmail();
    const person = await signedIn(running, email);
    await invite(payer.device, email);
    const [invitation] = await invitationsOf(person);
    return { payer, email, person, id: invitation?.id ?? '' };
  }

  test('the invited person is told who invites to what, by the app and by mail, and nothing else changes', async () => {
    const { payer, email, person, id } = await invited();
    expect(await invitationsOf(person)).toEqual([
      { id, from: payer.email, service: 'Gift', expiresAt: daysFromNow(14) },
    ]);
    expect(await levelOf(person)).toBe(1);
    expect(await membersOf(payer.device)).toEqual([
      {
        loginId: email,
        loginType: 'email',
        invitation: { expiresAt: daysFromNow(14), mailFailed: false },
      },
    ]);
    expect(await seatsUsed(payer.device), 'the seat is kept').toBe(1);
    await expect.poll(() => invitationMails(person, email), { timeout: waitLimit(60_000) }).toHaveLength(1);
    const [mail] = await invitationMails(person, email);
    expect(mail?.text).toContain(`${payer.email} invites you`);
    expect(mail?.text).toContain(`sign in to Waymaker as ${email}`);
    expect(mail?.text).not.toMatch(/https?:/);
    expect(await accept(person, id)).toEqual({ ok: true, data: null });
    expect(await levelOf(person)).toBe(3);
    expect(await membersOf(payer.device)).toEqual([{ loginId: email, loginType: 'email' }]);
    expect(await seatsUsed(payer.device)).toBe(1);
    expect(await invitationsOf(person)).toEqual([]);
  });

  const daysFromNow = (days: number) =>
    new Date(running.clock.now().getTime() + days * 24 * 3_600_000).toISOString();

  test('every address is answered alike: without an account, on trial, with a plan, in another group', async () => {
    const payer = await newPayer(running, 10);
    const other = await newPayer(running);
    const trial = newEmail();
    await signedIn(running, trial);
    const { email: member } = await newMember(running, other.device);
    const addresses = [newEmail(), trial, other.email, member];
    for (const address of addresses) {
      expect(await invite(payer.device, address), address).toEqual({ ok: true, data: null });
    }
    const list = await membersOf(payer.device);
    expect(list).toEqual(
      addresses.toSorted().map((loginId) => ({
        loginId,
        loginType: 'email',
        invitation: { expiresAt: daysFromNow(14), mailFailed: false },
      })),
    );
    const texts = [];
    for (const address of addresses) {
      const mails = async () =>
        (await invitationMails(payer.device, address)).filter(({ text }) => text.includes(payer.email));
      await expect.poll(mails).toHaveLength(1);
      texts.push((await mails())[0]?.text.replaceAll(address, 'ADDRESS'));
    }
    expect(new Set(texts).size).toBe(1);
  });

  test('only who is invited can answer', async () => {
    const { payer, person, id } = await invited();
    const stranger = await signedIn(running, newEmail());
    for (const device of [stranger, payer.device]) {
      expect(await invitationsOf(device)).toEqual([]);
      expect(await accept(device, id)).toEqual(over);
      expect(await decline(device, id)).toEqual(over);
    }
    expect(await levelOf(stranger)).toBe(1);
    expect(await levelOf(payer.device)).toBe(2);
    for (const wrong of ['none', '00000000-0000-4000-8000-000000000000']) {
      expect(await accept(person, wrong)).toEqual(over);
      expect(await decline(person, wrong)).toEqual(over);
    }
    expect(await accept(person, id)).toMatchObject({ ok: true });
  });

  test('it is answered once', async () => {
    const { payer, email, person, id } = await invited();
    await accept(person, id);
    expect(await accept(person, id)).toEqual(over);
    expect(await decline(person, id)).toEqual(over);
    expect(await levelOf(person)).toBe(3);
    await person.client.call('leaveGroup');
    expect(await accept(person, id), 'after leaving').toEqual(over);
    await invite(payer.device, email);
    const [again] = await invitationsOf(person);
    expect(await decline(person, again?.id ?? '')).toEqual({ ok: true, data: null });
    expect(await accept(person, again?.id ?? '')).toEqual(over);
    expect(await levelOf(person)).toBe(1);
    expect(await membersOf(payer.device)).toEqual([]);
    expect(await seatsUsed(payer.device)).toBe(0);
  });

  test('one that was withdrawn cannot be accepted', async () => {
    const { payer, email, person, id } = await invited();
    expect(await remove(payer.device, email.toUpperCase())).toEqual({ ok: true, data: null });
    expect(await membersOf(payer.device)).toEqual([]);
    expect(await invitationsOf(person)).toEqual([]);
    expect(await accept(person, id)).toEqual(over);
    expect(await remove(payer.device, email)).toMatchObject({ failure: { code: 404 } });
  });

  test('one that has expired cannot be accepted, frees its seat and can be made again', async () => {
    const { payer, email, person, id } = await invited(1);
    const expiresAt = daysFromNow(14);
    running.clock.advance({ hours: 14 * 24 });
    await givePlan(running, payer.email, 1);
    expect(await invitationsOf(person)).toEqual([]);
    expect(await accept(person, id)).toEqual(over);
    expect(await membersOf(payer.device)).toMatchObject([{ loginId: email, invitation: { expiresAt } }]);
    expect(await seatsUsed(payer.device)).toBe(0);
    expect(await invite(payer.device, email)).toMatchObject({ ok: true });
    expect(await membersOf(payer.device)).toMatchObject([
      { loginId: email, invitation: { expiresAt: daysFromNow(14) } },
    ]);
    const [anew] = await invitationsOf(person);
    expect(await accept(person, anew?.id ?? '')).toMatchObject({ ok: true });
  });

  test('a second invitation takes the place of the first', async () => {
    const { payer, email, person, id } = await invited(1);
    running.clock.advance({ minutes: 2 });
    expect(await invite(payer.device, email)).toMatchObject({ ok: true });
    expect(await invitationsOf(person)).toHaveLength(1);
    expect(await accept(person, id)).toEqual(over);
    await expect.poll(() => invitationMails(person, email), { timeout: waitLimit(60_000) }).toHaveLength(2);
  });

  test('whose plan or trial has no seat to give cannot invite', async () => {
    const because = async (device: TestDevice, loginId: string, code: number, msg: string) =>
      expect(await invite(device, loginId)).toEqual({ ok: false, failure: { kind: 'service', code, msg } });
    const noPlan = 'You need an active plan to invite members.';
    const trial = newEmail();
    const onTrial = await signedIn(running, trial);
    await because(onTrial, newEmail(), 422, noPlan);
    expect(await onTrial.client.call('myService')).toMatchObject({ data: { seats: 0 } });
    const { device, email } = await newPayer(running, 1);
    const { email: first } = await newMember(running, device);
    await because(
      device,
      newEmail(),
      422,
      'All seats of your plan are taken. Remove a member, or choose a plan with more seats.',
    );
    await because(device, first, 422, 'This person is already a member of your plan.');
    await because(device, email.toUpperCase(), 422, 'You cannot add yourself as a member.');
    await because(device, 'nobody', 422, 'Please enter a valid email address.');
    await remove(device, first);
    await invite(device, newEmail());
    await because(
      device,
      newEmail(),
      422,
      'All seats of your plan are taken. Remove a member, or choose a plan with more seats.',
    );
    running.clock.advance({ hours: 24 * 11 });
    await because(device, newEmail(), 422, noPlan);
  });

  test('whom it cannot be for: members of a group, and who has a plan or members', async () => {
    const { person, email, id } = await invited();
    const two = await newPayer(running);
    await invite(two.device, email);
    await accept(person, id);
    const [second] = await invitationsOf(person);
    expect(await accept(person, second?.id ?? '')).toMatchObject({
      failure: { code: 422, msg: 'You are already a member of another plan. Leave it first.' },
    });
    await person.client.call('leaveGroup');
    await givePlan(running, email, 2);
    expect(await accept(person, second?.id ?? '')).toMatchObject({ failure: { code: 422 } });
    const { device: own } = await newMember(running, person);
    running.clock.advance({ hours: 24 * 10 + 1 });
    await givePlan(running, two.email, 2);
    const msg =
      'You have a plan or members of your own. You can accept once your plan has ended and you have no members.';
    expect(await accept(person, second?.id ?? '')).toMatchObject({ failure: { code: 422, msg } });
    await own.client.call('leaveGroup');
    expect(await accept(person, second?.id ?? '')).toMatchObject({ ok: true });
  });

  test('of a group whose plan has ended meanwhile', async () => {
    const { person, id } = await invited();
    running.clock.advance({ hours: 24 * 10 + 1 });
    expect(await accept(person, id)).toMatchObject({
      failure: {
        code: 422,
        msg: 'This plan has no free seat left. Please ask the person who invited you.',
      },
    });
    expect(await levelOf(person)).toBe(1);
  });

  test('becoming a member withdraws the invitations that the person has sent', async () => {
    const [one, two] = [await newPayer(running), await newPayer(running)];
    const guest = newEmail();
    const guestDevice = await signedIn(running, guest);
    await invite(one.device, guest);
    const [theirs] = await invitationsOf(guestDevice);
    running.clock.advance({ hours: 24 * 10 + 1 });
    await givePlan(running, two.email, 2);
    await makeMember(two.device, one.device, one.email);
    expect(await accept(guestDevice, theirs?.id ?? '')).toEqual(over);
    expect(await invitationsOf(guestDevice)).toEqual([]);
  });

  test('a payer sends twenty a day, and a person gets three mails a day and none from whom they declined', async () => {
    const payer = await newPayer(running, 100);
    for (let sent = 0; sent < 20; sent += 1) {
      expect(await invite(payer.device, newEmail())).toMatchObject({ ok: true });
    }
    expect(await invite(payer.device, newEmail())).toEqual({
      ok: false,
      failure: {
        kind: 'service',
        code: 429,
        msg: 'You have sent many invitations today. Please try again tomorrow.',
      },
    });
    running.clock.advance({ hours: 24 });
    const email = newEmail();
    const person = await signedIn(running, email);
    const payers = await Promise.all(Array.from({ length: 5 }, () => newPayer(running)));
    for (const { device } of payers) expect(await invite(device, email)).toEqual({ ok: true, data: null });
    const all = await invitationsOf(person);
    expect(all).toHaveLength(5);
    await expect.poll(() => invitationMails(person, email), { timeout: waitLimit(60_000) }).toHaveLength(3);
    for (const { id } of all) await decline(person, id);
    running.clock.advance({ hours: 25 });
    for (const { device } of payers) expect(await invite(device, email)).toEqual({ ok: true, data: null });
    const late = newEmail();
    await invite(payer.device, late);
    await expect.poll(() => invitationMails(person, late), { timeout: waitLimit(60_000) }).toHaveLength(1);
    expect(await invitationsOf(person), 'the app shows them all the same').toHaveLength(5);
    expect(await invitationMails(person, email)).toHaveLength(3);
  });

  test('invitations from before the clock was set back do not count for years', async () => {
    const payer = await newPayer(running, 100);
    running.clock.advance({ hours: 24 * 9 });
    const emails = Array.from({ length: 20 }, newEmail);
    for (const email of emails) expect(await invite(payer.device, email)).toMatchObject({ ok: true });
    running.clock.advance({ hours: -24 * 9 });
    expect(await invite(payer.device, newEmail())).toMatchObject({ ok: true });
  });

  test('pressed twenty times at once, one mail is sent', async () => {
    const payer = await newPayer(running, 5);
    const email = newEmail();
    const results = await Promise.all(Array.from({ length: 20 }, () => invite(payer.device, email)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    const late = newEmail();
    await invite(payer.device, late);
    await expect
      .poll(() => invitationMails(payer.device, late), { timeout: waitLimit(60_000) })
      .toHaveLength(1);
    expect(await invitationMails(payer.device, email)).toHaveLength(1);
  });

  test('inviting more than fit, all at once, fills the seats', async () => {
    const payer = await newPayer(running, 2);
    const results = await Promise.all(Array.from({ length: 6 }, () => invite(payer.device, newEmail())));
    expect(results.filter(({ ok }) => ok)).toHaveLength(2);
    expect(await seatsUsed(payer.device)).toBe(2);
  });

  test('accepted by several devices at once, one seat is taken, and by more people than fit, as many as fit', async () => {
    const { payer, person, id } = await invited(3);
    const results = await Promise.all(Array.from({ length: 10 }, () => accept(person, id)));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await seatsUsed(payer.device)).toBe(1);
    const people = await Promise.all(
      [newEmail(), newEmail()].map(async (email) => ({ email, device: await signedIn(running, email) })),
    );
    for (const { email } of people) await invite(payer.device, email);
    const { database } = running.service;
    const [row] = await database.select().from(users).where(eq(users.email, payer.email));
    // A smaller plan than the one that had room for all of them.
    await givePlan(running, payer.email, 2);
    const ids = await database
      .select()
      .from(invitations)
      .where(eq(invitations.payerId, row?.id ?? ''));
    const answers = await Promise.all(
      people.map(({ email, device }) =>
        accept(device, ids.find((one) => one.email === email && one.state === 'open')?.id ?? ''),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await database.$count(users, eq(users.payerId, row?.id ?? ''))).toBe(2);
  });

  test('accepted and withdrawn at once, there is a member or there is none', async () => {
    for (let round = 0; round < (isExhaustive ? 5 : 2); round += 1) {
      const { payer, email, person, id } = await invited();
      const [accepted, withdrawn] = await Promise.all([accept(person, id), remove(payer.device, email)]);
      expect(withdrawn).toMatchObject({ ok: true });
      if (!accepted.ok) expect(accepted).toEqual(over);
      expect(await levelOf(person)).toBe(1);
      expect(await membersOf(payer.device)).toEqual([]);
    }
  });

  test('two who invite each other do not both become members', async () => {
    const [one, two] = [await newPayer(running), await newPayer(running)];
    await invite(one.device, two.email);
    await invite(two.device, one.email);
    running.clock.advance({ hours: 24 * 10 + 1 });
    const ids = [await invitationsOf(one.device), await invitationsOf(two.device)];
    const results = await Promise.all([
      accept(one.device, ids[0]?.[0]?.id ?? ''),
      accept(two.device, ids[1]?.[0]?.id ?? ''),
    ]);
    expect(results.filter(({ ok }) => ok).length).toBeLessThan(2);
    expect([await levelOf(one.device), await levelOf(two.device)]).not.toEqual([3, 3]);
  });

  test('a deleted account leaves of the invitations it answered nothing, and of open ones what the payer wrote', async () => {
    const { payer, email, person, id } = await invited();
    await decline(person, id);
    await invite(payer.device, email);
    await person.client.call('deleteSelf');
    const rows = await running.service.database
      .select()
      .from(invitations)
      .where(eq(invitations.email, email));
    expect(rows).toMatchObject([{ state: 'open' }]);
    expect(await membersOf(payer.device)).toMatchObject([{ loginId: email, invitation: {} }]);
  });

  test('members come in pages, with the invited ones between them', async () => {
    const payer = await newPayer(running, 9);
    const emails = [];
    for (let index = 0; index < 5; index += 1) {
      emails.push(index % 2 ? (await newMember(running, payer.device)).email : newEmail());
    }
    for (const [index, email] of emails.entries()) if (index % 2 === 0) await invite(payer.device, email);
    expect(await inPages(payer.device, 'members')).toEqual({ titles: emails.toSorted(), sizes: [2, 2, 1] });
    for (const params of [
      { limit: '0' },
      { limit: '101' },
      { limit: '-1' },
      { limit: '1e1' },
      { limit: '' },
      { cursor: 'none' },
      { cursor: '' },
      { cursor: Buffer.from('"\0@example.com"').toString('base64url') },
      { cursor: 'x'.repeat(600) },
    ]) {
      expect(await payer.device.client.call('members', { params }), JSON.stringify(params)).toMatchObject({
        failure: { code: 422 },
      });
    }
  });
});
