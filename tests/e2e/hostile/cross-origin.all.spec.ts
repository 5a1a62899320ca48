import { freePort } from '../../unit/main/support/free-port.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { buildWith } from '../support/host/build-with.ts';
import { answerProbes } from '../support/tunnel/probe-pages.ts';
import { serveConsole } from '../support/service/serve-console.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test('a console on another origin than the service signs in, keeps its events open and hears of changes', async ({
  browserHere,
  email,
}) => {
  test.setTimeout(waitLimit(120_000));
  const port = await freePort();
  // One process with two names, as behind a proxy.
  const service = `http://127.0.0.1:${port}`;
  const pages = `http://localhost:${port}`;
  await using build = await buildWith({ VITE_API_URL: service });
  await using served = await serveConsole(build.renderer, {
    WAYMAKER_SERVICE_PORT: String(port),
    WAYMAKER_PUBLIC_URL: service,
    WAYMAKER_CONSOLE_URL: pages,
  });
  await using context = await browserHere.newContext({ locale: 'en-US' });
  await answerProbes(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));

  await page.goto(`${pages}/login`);
  const events = page.waitForResponse(`${service}/api/events`);
  await signIn(page, served, email);
  expect((await events).status()).toBe(200);
  await expect(new AccountRoute(page).noPlan).toBeVisible();
  expect(complaints).toEqual([]);

  const other = await signInByApi({ ...served, consoleUrl: service }, email);
  must(await other.call('revokeDevices'));
  await expect(new LoginRoute(page).heading).toBeVisible();
});
