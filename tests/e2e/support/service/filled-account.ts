import { expect, type Browser } from 'playwright/test';
import { ConfirmRoute } from '../../routes/store/confirm-route.ts';
import { WordgatePage } from '../../routes/store/store-pages.ts';
import { must, signInByApi } from './api-user.ts';
import { buy } from './buy.ts';
import { makeMember } from './payer.ts';
import type { TestService } from './service.ts';
import { openSignedIn } from '../tunnel/sign-in.ts';
import type { TextLanguage } from '../screens/texts.ts';

/** Somebody with a plan, a member, several devices, a mini-app, a paid order and one that is not. */
export interface FilledAccount {
  readonly email: string;
  /** The member's email. */
  readonly member: string;
  /** Of somebody who has not answered the invitation. */
  readonly invited: string;
  readonly miniAppId: string;
  readonly paidOrder: string;
  readonly unpaidOrder: string;
}

/** Makes the account's contents as its user would: what can be bought in the store, the rest over the API. */
export async function fillAccount(
  browser: Browser,
  service: TestService,
  email: string,
  language: TextLanguage = 'en',
): Promise<FilledAccount> {
  const page = await openSignedIn(browser, service, email, { language });
  const paidOrder = await buy(page, 1, language);
  await new WordgatePage(page, language).pay.click();
  await expect(new ConfirmRoute(page, language).heading).toBeVisible();
  const unpaidOrder = await buy(page, 2, language);
  await page.context().close();
  const user = await signInByApi(service, email, 'Windows');
  const member = `friend-of-${email}`;
  await makeMember(user, member, service);
  const invited = `guest-of-${email}`;
  must(await user.call('addMember', { body: { loginId: invited, loginType: 'email' } }));
  const { id: miniAppId } = must(
    await user.call('createApp', {
      body: {
        name: 'IPv6',
        type: 'browser',
        icon: '',
        link: 'https://example.com/',
        priority: 10,
        requireLabels: [],
      },
    }),
  );
  return { email, member, invited, miniAppId, paidOrder, unpaidOrder };
}
