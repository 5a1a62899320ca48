import { grantPlan, newEmail, signedIn, type TestDevice, type TestService } from '../test-service.ts';

/** A new account with a running plan of so many seats. */
export async function newPayer(
  running: TestService,
  seats = 2,
): Promise<{ email: string; device: TestDevice }> {
  const email = newEmail();
  const device = await signedIn(running, email);
  await givePlan(running, email, seats);
  return { email, device };
}

/** Ten days of a plan, as if it had been bought. */
export const givePlan = (running: TestService, email: string, seats: number): Promise<void> =>
  grantPlan(running, email, { service: 'Gift', days: 10, seats });

export const invite = (payer: TestDevice, loginId: string) =>
  payer.client.call('addMember', { body: { loginId, loginType: 'email' } });

/** The invitations that somebody has, the oldest first. */
export async function invitationsOf(device: TestDevice) {
  const result = await device.client.call('invitations');
  if (!result.ok) throw new Error('no invitations', { cause: result.failure });
  return result.data.items;
}

export const accept = (device: TestDevice, id: string) =>
  device.client.call('acceptInvitation', { params: { id } });

/** Invites somebody who is signed in, and has them accept. */
export async function makeMember(payer: TestDevice, member: TestDevice, email: string): Promise<void> {
  const invited = await invite(payer, email);
  const [invitation] = await invitationsOf(member);
  const accepted = invitation && (await accept(member, invitation.id));
  if (!accepted?.ok) throw new Error('no member', { cause: { invited, accepted } });
}

/** A new account that is a member of the payer's group. */
export async function newMember(
  running: TestService,
  payer: TestDevice,
): Promise<{ email: string; device: TestDevice }> {
  const email = newEmail();
  const device = await signedIn(running, email);
  await makeMember(payer, device, email);
  return { email, device };
}
