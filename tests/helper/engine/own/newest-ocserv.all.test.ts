import { expect, test } from 'vitest';
import { addresses } from '../../../lab/network/addresses.ts';
import { whyWithout } from '../../../lab/gateway/ocserv-versions.ts';
import { createHelperLab } from '../../support/helper-lab.ts';
import { exchangeStreams } from '../../support/hashed-streams.ts';

const why = whyWithout('newest');

test('the newest ocserv carries streams over DTLS and, without datagrams, over TLS', async ({ skip }) => {
  if (why !== undefined) skip(why);
  for (const dtls of [true, false]) {
    await using net = await createHelperLab({ engine: 'own', gateway: { version: 'newest', dtls } });
    await net.start();
    const client = await net.connect();
    const transport = dtls ? 'dtls' : 'tls';
    await client.until('connected', { where: (state) => state.transport === transport });
    await exchangeStreams(net, 2_000_000);
    expect(client.states.at(-1)).toMatchObject({ state: 'connected', transport });
  }
});

test('over IPv6 to the gateway, streams of both versions arrive', async () => {
  await using net = await createHelperLab({ engine: 'own', gatewayFamilies: 'dual-stack' });
  await net.start();
  const client = await net.connect({ address: addresses.gateway.ipv6 });
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  await exchangeStreams(net, 2_000_000);
  const [engine] = await net.engines();
  const sockets = await net.lab.user.run(['ss', '-Hnaup']);
  const own = sockets.split('\n').filter((line) => line.includes(`pid=${engine},`));
  expect(own.join('\n')).toContain(`[${addresses.gateway.ipv6}]:443`);
  expect(client.states.at(-1)).toMatchObject({ state: 'connected', transport: 'dtls' });
});
