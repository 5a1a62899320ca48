import { expect, test, withoutRoot } from '../fixtures.ts';
import { heapSnapshot } from '../support/machine/heap-snapshot.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test("while connected, the token is nowhere in the page's memory or storage, nor in what the helper says", async ({
  lab,
  service,
  helper,
  launch,
  email,
}) => {
  // The service speaks plain HTTP in the laboratory, so that its answer can be read on the wire.
  const capture = await lab.capture('tcp port 8787');
  const app = await launch();
  const { page } = app;
  await signIn(page, service, email);
  const wire = (await capture.stop()).map(({ payload }) => payload.toString('latin1')).join('\n');
  const token = /"token":"([^"]+)"/.exec(wire)?.[1] ?? '';
  expect(token.length).toBeGreaterThan(20);

  await connectTo(page);
  const heap = await heapSnapshot(page);
  expect(heap.includes(email), 'positive control: what the page shows is in its memory').toBe(true);
  expect(heap.includes(token)).toBe(false);
  const stored = await page.evaluate(() =>
    [...Object.values(localStorage), ...Object.values(sessionStorage), document.cookie].join('\n'),
  );
  expect(stored).not.toContain(token);
  expect(app.output()).not.toContain(token);
  expect(helper.output).not.toContain(token);
});
