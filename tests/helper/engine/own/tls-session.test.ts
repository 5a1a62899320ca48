import { expect, test } from 'vitest';
import { addresses } from '../../../lab/network/addresses.ts';
import { helperLabForEach } from '../../support/lab-for-each.ts';

const net = helperLabForEach({ engine: 'own' });
const isResumed = () => net.log().includes('TLS has been resumed');

test('the engine resumes the TLS session of the sign-in, and packets take DTLS with a key of that connection', async () => {
  // ocserv gives sessions to resume with TLS 1.2.
  await net.lab.gateway.restart({ options: ['tls-priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.2"'] });
  // It does not find each of them again.
  for (let tries = 0; tries < 5 && !isResumed(); tries += 1) {
    const client = await net.connect({ session: await net.signIn() });
    await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
    expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
    await client.call('disconnect', {});
  }
  expect(isResumed()).toBe(true);
});
