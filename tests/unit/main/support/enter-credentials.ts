import type { ProxyCredentials } from '#shared/helper/gateway-session.ts';
import type { WaysOut } from '../../../../src/main/way-out/ways-out.ts';

/** As a user does for whom the proxy has asked, for this realm. */
export async function enterCredentials(ways: WaysOut, { realm, ...login }: ProxyCredentials): Promise<void> {
  const way = ways.to('gw.example');
  if (!way) throw new Error('there is no proxy');
  ways.refused(way, realm);
  await ways.setCredentials(way, login);
}
