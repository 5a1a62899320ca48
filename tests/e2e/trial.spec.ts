import { addresses } from '../lab/addresses.ts';
import { expect, test, withoutRoot } from './fixtures.ts';
import { connectTo } from './support/connect.ts';
import { arriveSignedIn } from './support/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test('spec §4: a countdown to trialExpiredAt is shown; at expiry the VPN disconnects and the trial ends', async ({
  networkBefore,
  lab,
  service,
  helper,
  launch,
  email,
}) => {
  const { page } = await launch();
  await page.clock.install();
  await arriveSignedIn(page, service, email);
  const connect = await connectTo(page);
  await expect(connect.trialLeft).toBeVisible();
  await page.clock.fastForward(71 * 60 * 60_000);
  expect((await lab.user.probe.http4('trial'))?.address).toBe(addresses.gateway.ipv4);
  await expect(connect.status('connect.connected')).toBeVisible();
  await page.clock.fastForward(61 * 60_000);
  await expect(connect.says('connect.trialEnded')).toBeVisible();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  expect(await lab.user.snapshot()).toBe(networkBefore);
  expect(helper.output).toContain('Got CONNECT response');
});
