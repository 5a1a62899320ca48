import type { Page } from 'playwright/test';
import { dropKept } from './drop-kept.ts';

/** From the next load of the page on, basic info names these links in the place of the service's own. */
export async function nameLinks(page: Page, links: Record<string, string>): Promise<void> {
  await page.route('**/api/basic-info', async (route) => {
    // A page may still ask as its test ends.
    const reply = await route
      .fetch()
      .then((response) => response.json() as Promise<{ data: { links: object } }>)
      .catch(() => undefined);
    if (!reply) return;
    const data = { ...reply.data, links: { ...reply.data.links, ...links } };
    await route.fulfill({ json: { ...reply, data } });
  });
  await dropKept(page, 'basicInfo');
}
