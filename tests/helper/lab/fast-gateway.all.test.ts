import { expect, test } from 'vitest';
import { startFastGateway } from '../../lab/gateway/fast-gateway.ts';
import { eventually } from '../../lab/runs/process.ts';
import { engines } from '../support/engines.ts';
import { exchangeStreams } from '../support/hashed-streams.ts';
import { createHelperLab } from '../support/helper-lab.ts';

test.each(engines)('a gateway with our data path carries streams of “%s” at full offload', async (engine) => {
  await using net = await createHelperLab({ engine, gateway: false });
  const { lab } = net;
  await using fast = await startFastGateway(lab.gatewayMachine, lab.directory, lab.gateway);
  await fast.addUser(net.username, net.password);
  await net.start();
  const client = await net.connect();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  await eventually(
    'datagrams are carried',
    () => fast.log().includes('datagrams are carried with aes-256-gcm') || undefined,
  );
  await exchangeStreams(net, 2_000_000);
  expect(client.states.at(-1)).toMatchObject({ state: 'connected', transport: 'dtls' });
  await net.disconnect();
  // What either end leaves out is noted.
  expect(fast.log()).toContain('cipher step tls');
  expect(fast.log()).toContain('offload of TCP and UDP');
  expect(fast.log()).not.toContain('one at a time');
  expect(fast.log()).not.toContain('datagrams: ');
});
