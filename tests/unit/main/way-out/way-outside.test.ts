import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { wayOutside, type TunnelReach } from '../../../../src/main/way-out/connect-by-ways.ts';
import type { WayOut } from '../../../../src/main/way-out/way-out.ts';
import { freePort } from '../support/free-port.ts';
import { ownAddress } from '../support/own-address.ts';

/** By which way a host is reached, with a proxy at this port and such a tunnel. */
async function wayWith(port: number, reach: TunnelReach) {
  const way: WayOut = { protocol: 'http', host: 'proxy.example', port, addresses: [ownAddress()] };
  return await wayOutside({ to: () => way, learn: () => Promise.resolve() }, () => reach)('service.example');
}

// By address, the proxy's address may belong in the tunnel, or be open to the engine alone: the service is in the
// tunnel then.
test('a proxy that a tunnel has made unreachable is passed over, and no other', async () => {
  const server = createServer((socket) => socket.destroy());
  const port = await freePort();
  server.listen(port, ownAddress());
  await once(server, 'listening');
  expect(await wayWith(port, 'nothing')).toMatchObject({ port });
  expect(await wayWith(port, 'a-part')).toMatchObject({ port });
  expect(await wayWith(port, 'everything')).toBeUndefined();
  server.close();
  await once(server, 'close');
  expect(await wayWith(port, 'a-part')).toBeUndefined();
  // There may be no other way: that it does not answer is what is said.
  expect(await wayWith(port, 'nothing')).toMatchObject({ port });
});
