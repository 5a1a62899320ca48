import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openDestination } from '../../../../helper/proxy/open-destination.ts';
import { closedPolicy } from '../../../../helper/proxy/policy.ts';
import { listen } from './client-lab.ts';

test('an address of this machine is not connected to, even if the name has another address', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await listen(server);
  const policy = {
    ...closedPolicy,
    // Nothing leaves this machine: the other address is of a family that the tunnel lacks.
    families: { ipv4: true, ipv6: false },
    resolve: () => Promise.resolve({ addresses: ['2001:db8::1', '127.0.0.1'] }),
  };
  const destination = { host: { kind: 'name', name: 'host.test' }, port } as const;
  expect(await openDestination(destination, policy, new AbortController().signal)).toEqual({
    ok: false,
    failure: 'network-unreachable',
  });
});
