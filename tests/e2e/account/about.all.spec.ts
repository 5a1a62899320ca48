import { expect, test } from '../fixtures.ts';
import { AboutRoute } from '../routes/frame/about-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { languages } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';

test.describe('spec §2: /about-us: company mission, product features, team background', () => {
  for (const language of languages) {
    test(`for everybody, in ${language}, on a phone without anything cut off`, async ({
      browserHere,
      serviceHere,
    }) => {
      const viewport = { width: 390, height: 800 };
      const page = await openConsole(browserHere, serviceHere, { language, viewport });
      const about = new AboutRoute(page, language);
      await about.open();
      await expect(about.heading).toBeVisible();
      for (const part of [about.mission, about.features, about.team]) {
        await expect(part).toBeVisible();
        await expect(part.getByRole('paragraph').first()).not.toBeEmpty();
      }
      await expect(about.features.getByRole('listitem')).toHaveCount(5);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(viewport.width);
    });
  }

  test('the account leads there in the desktop app, and back', async ({ signedInHere: { page } }) => {
    const more = new MoreLinks(page);
    await expect(more.downloads).toBeHidden();
    await more.to('about.title').click();
    const about = new AboutRoute(page);
    await expect(about.heading).toBeFocused();
    await page.getByRole('main').getByRole('link', { name: 'Account' }).click();
    await expect(more.card).toBeVisible();
  });
});
