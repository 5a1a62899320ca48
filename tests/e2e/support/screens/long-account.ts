import { rm } from 'node:fs/promises';
import { makeOwnedDirectory } from '../../../lab/runs/owned-directory.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import type { test as anyTest } from '../../fixtures.ts';
import { must, signInByApi, type ApiUser } from '../service/api-user.ts';
import type { FilledAccount } from '../service/filled-account.ts';
import { makeMember } from '../service/payer.ts';
import { plan, startService, type TestService } from '../service/service.ts';
import { longName } from './visible-text.ts';

/** A service with such an account for the tests around, which look at it and do not change it. */
export function keepFilledAccount(
  test: Pick<typeof anyTest, 'beforeAll' | 'afterAll' | 'setTimeout'>,
  offers: Parameters<typeof startService>[2] = {},
): { service: TestService; account: FilledAccount } {
  const here = {} as { service: TestService & AsyncDisposable; account: FilledAccount };
  let directory: string;
  test.beforeAll(async () => {
    test.setTimeout(waitLimit(60_000));
    directory = makeOwnedDirectory('e2e');
    here.service = await startService(directory, undefined, offers);
    here.account = await fillLongAccount(here.service, 'person@example.com');
  });
  test.afterAll(async () => {
    await here.service[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  return here;
}

/**
 * An account with something on every page: a plan, a member and two who are invited, devices, apps, a paid order and
 * one that is not; much of it as long as people, and operators, may make it. Without a page, which others tests are
 * for.
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
  const miniApp = { icon: '', requireLabels: [] };
  must(
    await user.call('createApp', {
      body: { ...miniApp, name: 'IPv6', type: 'browser', link: 'https://example.com/', priority: 10 },
    }),
  );
  const { id: miniAppId } = must(
    await user.call('createApp', {
      body: {
        ...miniApp,
        name: longName,
        type: 'native',
        link: `https://example.com/${'0123456789'.repeat(15)}`,
        priority: 100,
        requireLabels: [longName, '7'],
      },
    }),
  );
  return { email, member, invited, miniAppId, paidOrder, unpaidOrder };
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
