import { expect, test } from 'vitest';
import { startFastGateway } from '../../../lab/gateway/fast-gateway.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { createHelperLab } from '../../support/helper-lab.ts';

test('the engine resumes the TLS session of the sign-in, and packets take DTLS with a key of that connection', async () => {
  await using net = await createHelperLab({ engine: 'own', gateway: false });
  const { lab } = net;
  // ocserv does not find each session again, whoever asks for it.
  await using gateway = await startFastGateway(lab.gatewayMachine, lab.directory, lab.gateway);
  await gateway.addUser(net.username, net.password);
  await net.start();
  /** Of each tunnel, whether the gateway knew its TLS session. */
  const tunnels = () =>
    [...gateway.log().matchAll(/^session \d+ connected(, resumed)?$/gm)].map(([, how]) => !!how);

  const session = await net.signIn();
  expect(session.tlsSession).toBeDefined();
  const { tlsSession: _unused, ...withoutTls } = session;
  const first = await net.connect({ session: withoutTls });
  await first.until('connected', { where: ({ transport }) => transport === 'dtls' });
  expect(tunnels(), 'positive control').toEqual([false]);
  await first.call('disconnect', {});

  const second = await net.connect({ session: await net.signIn() });
  await second.until('connected', { where: ({ transport }) => transport === 'dtls' });
  expect(tunnels()).toEqual([false, true]);
  expect(net.log()).toContain('TLS has been resumed');
  expect(await lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  await second.call('disconnect', {});
});
