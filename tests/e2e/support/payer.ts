import { must, signInByApi, type ApiUser } from './api-user.ts';
import type { TestService } from './service.ts';

/** Somebody in whose group the user of `email` is a child member. */
export async function payerOf(email: string, service: TestService): Promise<ApiUser> {
  const payer = await signInByApi(service, `payer-of-${email}`);
  must(await payer.call('addMember', { body: { loginId: email, loginType: 'email' } }));
  return payer;
}
