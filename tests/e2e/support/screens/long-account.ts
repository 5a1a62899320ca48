import { must, signInByApi, type ApiUser } from '../service/api-user.ts';
import type { FilledAccount } from '../service/filled-account.ts';
import { makeMember } from '../service/payer.ts';
import { plan, type TestService } from '../service/service.ts';
import { longName } from './visible-text.ts';

/**
 * An account with something on every page: a plan, a member and two who are invited, devices, apps, a paid order and one
 * that is not; much of it as long as people, and operators, may make it. Without a page, which others tests are for.
 */
export async function fillLongAccount(service: TestService, email: string): Promise<FilledAccount> {
  const user = await signInByApi(service, email, longName);
  const paidOrder = await order(user, 1);
  await pay(user, paidOrder);
  const unpaidOrder = await order(user, 2);
  const member = `friend-of-${email}`;
  await makeMember(user, member, service);
  const invited = `guest-of-${email}`;
  for (const loginId of [invited, `${longName.replace('ä', 'ae').toLowerCase()}.${email}`])
    must(await user.call('addMember', { body: { loginId, loginType: 'email' } }));
  const app = { icon: '', requireLabels: [] };
  must(
    await user.call('createApp', {
      body: { ...app, name: 'IPv6', type: 'browser', link: 'https://example.com/', priority: 10 },
    }),
  );
  const { id: appId } = must(
    await user.call('createApp', {
      body: {
        ...app,
        name: longName,
        type: 'native',
        link: `https://example.com/${'0123456789'.repeat(15)}`,
        priority: 100,
        requireLabels: [longName, '7'],
      },
    }),
  );
  return { email, member, invited, appId, paidOrder, unpaidOrder };
}

async function order(user: ApiUser, quantity: number): Promise<string> {
  return must(await user.call('createOrder', { body: { productId: plan.id, quantity } })).orderId;
}

/** By the sandbox, whose page's address ends with the payment's id. */
async function pay(user: ApiUser, orderId: string): Promise<void> {
  const { extra } = must(
    await user.call('createPayment', { params: { id: orderId }, body: { payMethod: 'wordgate' } }),
  );
  const id = new URL(extra.pay_url).pathname.split('/').at(-1) ?? '';
  must(await user.call('decideSandboxPayment', { params: { id }, body: { decision: 'paid' } }));
  must(await user.call('confirmPayment', { body: { order_id: orderId } }));
}
