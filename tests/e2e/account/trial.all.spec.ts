import { addresses } from '../../lab/network/addresses.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

const hour = 60 * 60_000;
const trial = 72 * hour;

test('spec §4: a countdown to trialExpiredAt is shown, at whose end the VPN disconnects and the trial ends', async ({
  networkBefore,
  lab,
  service,
  helper: _helper,
  launch,
  email,
}) => {
  // Time enough to connect.
  const left = waitLimit(20_000);
  const app = await launch();
  await service.advance(left - trial);
  try {
    await arriveSignedIn(app.page, service, email);
  } finally {
    await service.advance(trial - left);
  }
  const connect = await connectTo(app.page);
  await expect(connect.trialLeft).toBeVisible();
  expect((await lab.user.probe.http4('trial'))?.address).toBe(addresses.gateway.ipv4);
  // The page has no part in it, nor has the service.
  await app.page.clock.install();
  await app.page.clock.pauseAt(Date.now() + hour);
  await service.stop();
  try {
    await expect
      .poll(async () => (await lab.user.probe.http4('trial'))?.address, { timeout: left + waitLimit(20_000) })
      .toBe(addresses.user.ipv4);
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    await app.page.clock.resume();
    await expect(connect.says('connect.trialEnded')).toBeVisible();
    await expect(connect.status('connect.needsPlan')).toBeVisible();
    await expect(connect.choosePlan.first()).toHaveAttribute('href', '/purchase');
  } finally {
    await service.start();
  }
});
