import { expect, test } from '../fixtures.ts';
import { heapSnapshot } from '../support/machine/heap-snapshot.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test("the token cannot be reached from the page: it is nowhere in the page's memory or storage", async ({
  launchHere,
  serviceHere,
  email,
}) => {
  // On the way to the service, what the app is told, and itself says, can be read.
  await using service = await startHostileService(serviceHere.apiUrl, {});
  const app = await launchHere({ env: { WAYMAKER_API_URL: service.apiUrl } });
  const { page } = app;
  await signIn(page, serviceHere, email);
  const token = /"token":"([^"]+)"/.exec(service.answered().join('\n'))?.[1] ?? '';
  expect(token.length).toBeGreaterThan(20);

  const heap = await heapSnapshot(page);
  expect(heap.includes(email), 'positive control: what the page shows is in its memory').toBe(true);
  expect(heap.includes(token)).toBe(false);
  const stored = await page.evaluate(() =>
    [...Object.values(localStorage), ...Object.values(sessionStorage), document.cookie].join('\n'),
  );
  expect(stored).not.toContain(token);
  expect(app.output()).not.toContain(token);
});
