import { expect, test } from 'vitest';
import { createHelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import { createTestAuthority } from '../support/test-authority.ts';
import { startTestHelper } from '../support/helper.ts';
import { createTestLog } from '../support/log.ts';
import { destinationOf, gateway } from '../support/tunnel-states.ts';
import { createTestRequests } from '../support/tunnel-requests.ts';

test.each([
  ['goes to a helper that takes it', true],
  ['is left out for an earlier helper, which would refuse the session', false],
])('a client certificate %s, and is not logged', async (_what, takesCertificates) => {
  await using helper = await startTestHelper({ takesCertificates });
  const { log, text } = createTestLog();
  const client = createHelperClient({ socketPath: helper.socketPath, version: '0.1.0', log });
  await client.ready;
  const requests = createTestRequests({ helper: client, log });
  const bare = { cookie: 'webvpn=x', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
  const clientCertificate = await (await createTestAuthority()).issue({ client: 'x' });
  const signedIn = { gateway, address: '192.0.2.1', session: { ...bare, clientCertificate } };

  await requests.connectWith(destinationOf(gateway), signedIn);
  await requests.provide(signedIn);
  const passed = takesCertificates ? signedIn.session : bare;
  const calls = helper.calls.filter(({ method }) => method === 'connect' || method === 'provideSession');
  expect(calls.map(({ params }) => params)).toEqual([
    expect.objectContaining({ session: passed }),
    { session: passed },
  ]);
  expect(text()).not.toContain('PRIVATE KEY');
  client.close();
});
