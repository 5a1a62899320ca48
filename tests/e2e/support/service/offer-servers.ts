import type { Page } from 'playwright/test';
import type { Server } from '#shared/entities.ts';

/** Has the page be told of these servers, in a trial without an end, in place of the service's own. */
export async function offerServers(page: Page, servers: readonly Server[]): Promise<void> {
  const items = [
    {
      id: 'trial',
      name: 'Trial',
      isTrial: true,
      trialExpiredAt: null,
      items: [{ id: 'one', level: 1, servers }],
    },
  ];
  await page.route('**/api/server-groups', (route) =>
    route.fulfill({ json: { code: 0, msg: '', data: { items } } }),
  );
}
