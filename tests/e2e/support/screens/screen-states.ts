import { expect, type Locator, type Page } from 'playwright/test';
import type { PageNote } from '../../../../src/shared/entities.ts';
import { AboutRoute } from '../../routes/frame/about-route.ts';
import { AccountRoute } from '../../routes/account/account-route.ts';
import { AddMemberRoute } from '../../routes/manage/add-member-route.ts';
import { CreateMiniAppRoute } from '../../routes/manage/mini-app-form-route.ts';
import { ManageMiniAppsRoute } from '../../routes/manage/manage-mini-apps-route.ts';
import { DeviceLoginRoute } from '../../routes/account/device-login-route.ts';
import { DevicesRoute } from '../../routes/manage/devices-route.ts';
import { LoginRoute } from '../../routes/account/login-route.ts';
import { MembersRoute } from '../../routes/manage/members-route.ts';
import { NoteDialog } from '../../routes/account/note-dialog.ts';
import { RedeemRoute } from '../../routes/account/redeem-route.ts';
import { SelfDeleteRoute } from '../../routes/account/self-delete-route.ts';
import { VerifyRoute } from '../../routes/account/verify-route.ts';
import { pngPicture } from './picture.ts';
import { loseNetwork } from '../tunnel/probe-pages.ts';
import type { Screen } from './screens.ts';
import { textPattern, texts, type TextLanguage } from './texts.ts';

/** What pages look like once their user, or the network, has done something. */

/** The query of a /auth-verify that nobody has asked for a code of. */
export const verifyQuery = '?email=person%40example.com&authId=00000000-0000-4000-8000-000000000000' as const;

/** Forms that say what is wrong, before signing in. */
export function publicMistakes(page: Page, language: TextLanguage): Screen[] {
  const login = new LoginRoute(page, language);
  const verify = new VerifyRoute(page, language);
  return [
    {
      name: 'login-mistake',
      route: login,
      act: async () => {
        await login.email.fill('nobody');
        await login.email.blur();
      },
      sees: login.emailInvalid,
    },
    {
      name: 'auth-verify-mistake',
      route: verify,
      query: verifyQuery,
      act: () => verify.type('000000'),
      sees: verify.incorrect,
    },
  ];
}

/** The same of who is signed in. */
export function accountMistakes(page: Page, language: TextLanguage): Screen[] {
  const redeem = new RedeemRoute(page, language);
  const member = new AddMemberRoute(page, language);
  const form = new CreateMiniAppRoute(page, language);
  return [
    { name: 'redeem-mistake', route: redeem, act: () => redeem.submit.click(), sees: redeem.required },
    { name: 'add-member-mistake', route: member, act: () => member.add.click(), sees: member.missing },
    {
      name: 'create-app-mistakes',
      route: form,
      act: async () => {
        await form.link.fill('nowhere');
        await form.priority.fill('101');
        await form.save.click();
        await expect(form.nameMissing).toBeVisible();
        await expect(form.linkInvalid).toBeVisible();
      },
      sees: form.priorityRange,
    },
  ];
}

/** While the service has not answered, and once it has refused. */
export function deviceLoginScreens(page: Page, language: TextLanguage): Screen[] {
  const route = new DeviceLoginRoute(page, language);
  const query = '?deviceId=00000000-0000-4000-8000-000000000000&token=none';
  const calls = '**/api/user-info';
  const withoutAnswer = () => page.route(calls, () => undefined);
  return [
    { name: 'device-login', route, query, loads: true, prepare: withoutAnswer, sees: route.heading },
    {
      name: 'device-login-failed',
      route,
      query,
      loads: true,
      prepare: () => page.unroute(calls),
      sees: route.failedHeading,
    },
  ];
}

/** What is shown in the place of a page that cannot be shown: here because its code cannot be loaded. */
export function crashScreen(page: Page, language: TextLanguage): Screen {
  const code = /\/assets\/about-page-[\w-]+\.js$/;
  const named = (key: 'crash.title') =>
    page.getByRole('heading', { level: 1, name: textPattern(language, key) });
  return {
    name: 'crash',
    route: new AboutRoute(page, language),
    loads: true,
    prepare: () => page.route(code, (route) => route.abort()),
    sees: named('crash.title'),
    leave: () => page.unroute(code),
  };
}

/** The two steps after the first. */
export function selfDeleteScreens(page: Page, language: TextLanguage): Screen[] {
  const route = new SelfDeleteRoute(page, language);
  const go = () => route.continueButton.click();
  return [
    // Each goes on from where the one before it is.
    { name: 'self-delete-warn', route, act: go, sees: route.stepHeading('warn') },
    { name: 'self-delete-final', route, act: go, sees: route.stepHeading('final') },
  ];
}

/** What asks before something is removed. */
export function askingScreens(page: Page, language: TextLanguage): Screen[] {
  const lists = {
    'devices-asking': new DevicesRoute(page, language),
    'members-asking': new MembersRoute(page, language),
    'apps-asking': new ManageMiniAppsRoute(page, language),
  };
  return Object.entries(lists).map(([name, route]) => ({
    name,
    route,
    act: () => route.rows.getByRole('button').first().click(),
    sees: route.dialog,
  }));
}

export function cropScreen(page: Page, language: TextLanguage): Screen {
  const route = new CreateMiniAppRoute(page, language);
  const buffer = pngPicture(300, 200, (x, y) => [x % 256, y % 256, 0]);
  return {
    name: 'crop',
    route,
    act: async () => {
      await route.pickIcon({ name: 'picture.png', mimeType: 'image/png', buffer });
      await expect(route.usePicture).toBeEnabled();
    },
    sees: route.cropDialog,
  };
}

/** An announcement; what it says is the service's, in the language of who reads it. */
export function noteScreen(page: Page, language: TextLanguage): Screen {
  const words = texts[language];
  const note: PageNote = {
    id: 'about',
    title: words['about.missionTitle'],
    htmlBody: `<p>${words['about.mission']}</p><ul><li>${words['about.missionTrust']}</li></ul>`,
    clickAction: '/about-us',
    redisplayLockSeconds: 3600,
  };
  const calls = '**/api/page-notes/*';
  return {
    name: 'note',
    route: new RedeemRoute(page, language),
    prepare: () =>
      page.route(calls, (route) => route.fulfill({ json: { code: 0, msg: '', data: { items: [note] } } })),
    sees: new NoteDialog(page, note.title, language).dialog,
    leave: () => page.unroute(calls),
  };
}

/** A page without the network: the account tab if no other is named. */
export function offlineScreen(
  page: Page,
  language: TextLanguage,
  { name, route }: Pick<Screen, 'name' | 'route'> = {
    name: 'offline',
    route: new AccountRoute(page, language),
  },
): Screen {
  const tell = (event: 'offline' | 'online') =>
    page.evaluate((type) => dispatchEvent(new Event(type)), event);
  const notice: Locator = page.getByRole('status').getByText(textPattern(language, 'offline.text'));
  let recover: (() => Promise<void>) | undefined;
  return {
    name,
    route,
    act: async () => {
      recover = await loseNetwork(page, 'refused');
      await tell('offline');
    },
    sees: notice,
    leave: async () => {
      await recover?.();
      await tell('online');
      await expect(notice).toBeHidden();
    },
  };
}
