import { expect, test } from '../fixtures.ts';
import { ConnectionLogRoute } from '../routes/desktop/connection-log-route.ts';
import { ReportRoute } from '../routes/desktop/report-route.ts';
import { openConsole } from '../support/service/web-console.ts';

test('what happened to the connection is read and cleared', async ({ connected, signedIn }) => {
  const { page } = signedIn;
  const log = new ConnectionLogRoute(page);
  await log.follow();
  await expect(log.events).toHaveCount(1);
  await expect(log.events).toContainText(/Connected to \S+/);
  const report = new ReportRoute(page);
  await report.follow();
  await expect(report.contents).toContainText('engine line=');
  await connected.follow();
  await connected.disconnect.click();
  await log.follow();
  await expect(log.events).toHaveCount(2);
  await expect(log.events.first()).toContainText('Disconnected');
  await log.clear.click();
  await log.confirm.click();
  await expect(log.empty).toBeVisible();
});

test('a browser has neither', async ({ browserHere, serviceHere }) => {
  const page = await openConsole(browserHere, serviceHere);
  await new ReportRoute(page).open();
  await expect(page).not.toHaveURL(/problem-report/);
});
