import { expect, type Page } from 'playwright/test';
import { texts } from '../screens/texts.ts';

const [hour, day] = [60 * 60, 24 * 60 * 60];

/** In the words of specification §9, not in those of the code: user 1 h, service 1 h, basic info 24 h … */
export const keptCalls = [
  { path: '/api/user-info', key: 'user', seconds: hour },
  { path: '/api/my-service', key: 'myService', seconds: hour },
  { path: '/api/basic-info', key: 'basicInfo', seconds: 24 * hour },
  { path: '/api/translations/waymaker/en', key: 'translations:en', seconds: 7 * day },
];

export const isKept = (path: string) => keptCalls.some((call) => call.path === path);

/**
 * Waits until all that is kept is: a page that is loaded again asks for what was still on its way. `keys`: what is kept
 * now.
 */
export async function expectAllKept(keys: () => Promise<readonly string[]>): Promise<void> {
  const all = keptCalls.map(({ key }) => key);
  await expect.poll(keys).toEqual(expect.arrayContaining(all));
}

/** Of the page's own storage. */
export const keysInPage = (page: Page) => () => page.evaluate(() => Object.keys(localStorage));

/** Waits until the account page of `email` shows all that it has. */
export async function expectAccount(page: Page, email: string): Promise<void> {
  await expect(page.getByText(email)).toBeVisible();
  // Fetched always, and last: by then whatever else is stale has been asked for.
  await expect(page.getByText(texts.en['account.received'])).toBeVisible();
}

/**
 * Looks at the pages that need the calls, again and again as what is stored gets older, and holds what is asked of
 * the service against the lifetimes. `look` reloads the page; `asked`: the paths of all calls since it was last
 * asked. The page's clock is the test's.
 */
export async function expectLifetimes(
  page: Page,
  look: () => Promise<void>,
  asked: () => string[],
): Promise<void> {
  const minute = 60;
  let age = 0;
  const fetchedAt = new Map<string, number>();
  const lifetimes = [...new Set(keptCalls.map(({ seconds }) => seconds))].sort((one, other) => one - other);
  for (const lifetime of lifetimes) {
    for (const at of [lifetime - 10 * minute, lifetime + 10 * minute]) {
      await page.clock.fastForward((at - age) * 1000);
      age = at;
      asked();
      await look();
      await page.waitForLoadState('networkidle');
      const stale = keptCalls.filter(({ path, seconds }) => at - (fetchedAt.get(path) ?? 0) > seconds);
      for (const { path } of stale) fetchedAt.set(path, at);
      const made: string[] = [];
      await expect
        .poll(() => (made.push(...asked().filter(isKept)), made.toSorted()), `after ${at / minute} minutes`)
        .toEqual(stale.map(({ path }) => path).toSorted());
    }
  }
}
