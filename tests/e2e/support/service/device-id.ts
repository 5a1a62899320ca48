import type { Page } from 'playwright/test';
import type { HostTransport } from '../../../../src/shared/host/transport.ts';

/** The device's id, which is its user name at gateways, as the app tells it to its page. */
export async function deviceIdOf(page: Page): Promise<string> {
  const session = await page.evaluate(async () => {
    const { waymakerHost } = window as unknown as { waymakerHost: HostTransport };
    return (await waymakerHost.request('session.get', undefined)) as { deviceId: string };
  });
  return session.deviceId;
}
