import type { Page } from 'playwright/test';
import type { Server } from '#shared/entities.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import type { ConnectRoute } from '../routes/connect/connect-route.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { offerServers } from '../support/service/offer-servers.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

const countries = ['Austria', 'Brasília', 'Chile', 'Dänemark', '日本'];
const codes = ['AT', 'BR', 'CL', 'DK', 'JP'];

/** As many servers as no page can hold at once. */
const manyServers = (count: number, of: readonly string[] = codes): Server[] =>
  Array.from({ length: count }, (_, index) => ({
    serverId: `server-${index}`,
    name: `${countries[index % countries.length]} ${index}`,
    domain: `gw${index}.example.net`,
    country: of[index % of.length],
    load: (index % 10) / 10,
  }));

/** Whether a picture has come, past the page's policy. */
const isDrawn = async (image: HTMLElement | SVGElement): Promise<boolean> => {
  if (!(image instanceof HTMLImageElement)) return false;
  await image.decode();
  return image.naturalWidth > 0;
};

test.describe('500 servers', () => {
  async function openServers(page: Page): Promise<ConnectRoute> {
    const connect = await openConnectTab(page);
    await connect.openServers();
    return connect;
  }

  test('a few of them are in the page at a time, and every one is reached by the keyboard and found by its name', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    await offerServers(page, manyServers(500));
    await arriveSignedIn(page, serviceHere, email);
    const connect = await openServers(page);
    await expect(connect.server('Austria 0')).toHaveAttribute('aria-selected', 'true');
    await expect(connect.server('Austria 0')).toHaveAttribute('aria-rowindex', '2');
    await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '501');
    expect(await connect.options.count()).toBeLessThan(60);
    for (const width of [320, 390, 1200]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await clippedTexts(page), `${width}px wide`).toEqual([]);
    }
    await expectNoViolations(page, 'servers');

    await connect.search.focus();
    for (let pressed = 0; pressed < 30; pressed += 1) await page.keyboard.press('PageDown');
    const active = async () =>
      page.locator(`[id="${await connect.search.getAttribute('aria-activedescendant')}"]`);
    await expect(await active()).toContainText('Chile 202');
    await expect(await active()).toBeInViewport();
    await page.keyboard.press('ArrowUp');
    // Also once the pointer has scrolled it out of view.
    await page.getByRole('grid').evaluate((grid) => grid.scrollBy(0, 5000));
    await expect(connect.server('Chile 202')).toBeHidden();
    await expect(await active()).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await expect(connect.server('Chile 197')).toBeInViewport();

    // To its star and back: marking it chooses nothing, and keeps the keyboard where it is.
    await expect(connect.search).toHaveAccessibleDescription(/right arrow/);
    for (const label of ['Add to', 'Remove from', 'Add to', 'Remove from']) {
      await page.keyboard.press('ArrowRight');
      await expect(await active()).toHaveAccessibleName(`${label} favorites: Chile 197`);
      await page.keyboard.press('Enter');
      await expect(await active()).not.toHaveAccessibleName(`${label} favorites: Chile 197`);
    }
    await expect(connect.search).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(await active()).toContainText('Chile 197');
    await page.keyboard.press('Enter');
    await expect(connect.chosen('Chile 197')).toBeVisible();

    await connect.openServers();
    await connect.search.fill('danemark 498');
    await expect(connect.options).toHaveCount(1);
    await connect.search.fill('日本 49');
    await expect(connect.server('日本 499')).toBeVisible();
    // By the country's name in another language than the pages are in.
    await connect.search.fill('奥地利 495');
    await expect(connect.options).toHaveText([/Austria 495/]);
    await expect(page.locator('[role="grid"] img')).toHaveAttribute('src', /AT-/);
    expect(await page.locator('[role="grid"] img').evaluate(isDrawn)).toBe(true);
    await connect.search.fill('no such place');
    await expect(connect.says('servers.noneFound')).toBeVisible();
    await expect(connect.options).toHaveCount(0);
    await page.keyboard.press('Enter');
    await connect.search.fill('gw321.');
    await page.keyboard.press('Enter');
    await expect(connect.chosen('Brasília 321')).toBeVisible();

    await connect.openServers();
    await expect(connect.server('Brasília 321')).toBeInViewport();
    await page.keyboard.press('Escape');
    await expect(connect.search).toBeHidden();
    await expect(connect.chosen('Brasília 321')).toBeVisible();
  });

  if (isExhaustive)
    test('what is chosen is in view as they open, below the names of many countries', async ({
      openInApp,
      serviceHere,
      email,
    }) => {
      const { page } = await openInApp('android');
      await offerServers(page, manyServers(60, ['ZA', 'FR', 'IT', 'NL', 'NO', 'PL', 'PT', 'SE', ...codes]));
      await arriveSignedIn(page, serviceHere, email);
      const connect = await openServers(page);
      await expect(connect.server('Austria 0')).toHaveAttribute('aria-selected', 'true');
      await expect(connect.server('Austria 0')).toBeInViewport({ ratio: 1 });
    });
});
