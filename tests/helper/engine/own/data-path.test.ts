import { expect, test } from 'vitest';
import { helperLabForEach } from '../../support/lab-for-each.ts';
import { exchangeStreams } from '../../support/hashed-streams.ts';

const net = helperLabForEach({ engine: 'own' });

test('streams arrive as they were sent, on the fastest way that the system has', async () => {
  const client = await net.connect();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  await exchangeStreams(net, 2_000_000);
  expect(client.states.at(-1)).toMatchObject({ state: 'connected', transport: 'dtls' });
  const log = net.log();
  expect(log).toContain('data path: cipher step tls');
  expect(log).toContain('data path: offload of TCP and UDP');
  expect(log).not.toContain('one at a time');
});
