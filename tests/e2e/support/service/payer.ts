import { must, signInByApi, type ApiUser } from './api-user.ts';
import { takeLicenseKey, type TestService } from './service.ts';

/** Somebody with a plan of two seats. */
export async function signInPayer(
  service: TestService,
  email: string,
  deviceName?: string,
): Promise<ApiUser> {
  const payer = await signInByApi(service, email, deviceName);
  must(await payer.call('consumeLicenseKey', { params: { key: takeLicenseKey(service) } }));
  return payer;
}

/** Somebody in whose group the user of `email` is a child member. */
export async function payerOf(email: string, service: TestService): Promise<ApiUser> {
  const payer = await signInPayer(service, `payer-of-${email}`);
  await makeMember(payer, email, service);
  return payer;
}

/** Invites somebody to the payer's group, and has them accept. */
export async function makeMember(payer: ApiUser, email: string, service: TestService): Promise<void> {
  must(await payer.call('addMember', { body: { loginId: email, loginType: 'email' } }));
  const member = await signInByApi(service, email);
  const [invitation] = must(await member.call('invitations')).items;
  must(await member.call('acceptInvitation', { params: { id: invitation?.id ?? '' } }));
}
