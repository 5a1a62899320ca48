import { ConformanceRoute } from '../routes/webview/conformance-route.ts';
import { NotFoundRoute } from '../routes/frame/not-found-route.ts';
import type { AnswerText } from './json-rpc-app.ts';
import type { WebviewOptions } from './open-webview.ts';
import { expect, test, type OpenInApp } from './webview-fixtures.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** The same for an app that leaves the page waiting: by a clock that is faster than the world's. */
async function checkedInHaste(
  openInApp: OpenInApp,
  options: Partial<WebviewOptions>,
): Promise<ConformanceRoute> {
  const { page } = await openInApp('android', options);
  await page.clock.install();
  const conformance = new ConformanceRoute(page);
  await conformance.open();
  await expect(async () => {
    await page.clock.runFor(1000);
    await expect(conformance.summary).toBeVisible({ timeout: 250 });
  }).toPass({ timeout: waitLimit(60_000), intervals: [0] });
  return conformance;
}

function silentOnErrors(whole: AnswerText): AnswerText {
  return async (text) => {
    const reply = await whole(text);
    return reply?.includes('"error"') ? undefined : reply;
  };
}
test.describe.configure({ mode: 'parallel' });

test('a broken app fails: no answer to what it does not know', async ({ openInApp }) => {
  const conformance = await checkedInHaste(openInApp, { answer: silentOnErrors });
  await expect(conformance.rules('failed').filter({ hasText: /unknown method/ })).toHaveCount(1);
});

test('an app that tells no events fails', async ({ openInApp }) => {
  const conformance = await checkedInHaste(openInApp, { tellsEvents: false });
  const events = conformance.rules('failed').filter({ hasText: 'Tells connecting' });
  await expect(events).toHaveText([/no event connecting/]);
});

test('without an app around it there is no such page', async ({ openedConsole: page }) => {
  await new ConformanceRoute(page).open();
  await expect(new NotFoundRoute(page).heading).toBeVisible();
});
