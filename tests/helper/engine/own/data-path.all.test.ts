import { expect, test } from 'vitest';
import { words } from '../../../lab/runs/process.ts';
import { createHelperLab } from '../../support/helper-lab.ts';
import { exchangeStreams } from '../../support/hashed-streams.ts';

/** The steps by which the data path falls back, each with real streams. */

const bytes = 2_000_000;

test.each<[string, readonly string[]]>([
  ['', ['cipher step tls', 'offload of TCP and UDP']],
  ['no-udp-offload', ['offload of TCP"', 'cipher step tls']],
  ['no-offload', ['no offload: the device cuts packets itself', 'cipher step tls']],
  ['no-batches', ['datagrams are sent one at a time', 'datagrams are received one at a time']],
  ['no-tls-mode', ['cipher step evp']],
  ['no-openssl', ['cipher step node']],
  ['no-offload,no-batches,no-openssl', ['no offload', 'one at a time', 'cipher step node']],
  ['off', ['data path: off']],
])('with “%s”', async (limits, notes) => {
  await using net = await createHelperLab({ engine: 'own' });
  await net.start({ under: ['env', `WAYMAKER_DATA_PATH=${limits}`] });
  const client = await net.connect();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  await exchangeStreams(net, bytes);
  expect(client.states.at(-1)).toMatchObject({ state: 'connected', transport: 'dtls' });
  for (const note of notes) expect(net.log()).toContain(note);
});

test('over TLS', async () => {
  await using net = await createHelperLab({ engine: 'own', gateway: { dtls: false } });
  await net.start();
  const client = await net.connect();
  await exchangeStreams(net, bytes);
  expect(client.states.at(-1)).toMatchObject({ state: 'connected', transport: 'tls' });
});

test('a path that carries less than it did: datagrams are sent one at a time', async () => {
  await using net = await createHelperLab({ engine: 'own' });
  await net.start();
  const client = await net.connect();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  const { user, internet, gateway } = net.lab;
  const { ipv4 } = gateway.address;
  // Datagrams of the tunnel's largest packets become fragments.
  const [{ dev = '' } = {}] = JSON.parse(await internet.run(words(`ip -json route get ${ipv4}`))) as {
    dev?: string;
  }[];
  await internet.run(words(`ip route add ${ipv4}/32 dev ${dev} mtu 1400`));
  await exchangeStreams(net, bytes);
  expect(await user.run(words(`ip route get ${ipv4}`))).toContain('mtu 1400');
  expect(net.log()).toMatch(/datagrams are sent one at a time: (?:EMSGSIZE|EINVAL)/);
});

test('a network that loses one datagram in fifty', async () => {
  await using net = await createHelperLab({ engine: 'own' });
  await net.start();
  const client = await net.connect();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  await net.lab.internet.run(['nft', '-f', '-'], {
    input: `table inet lossy {
      chain forward {
        type filter hook forward priority filter
        meta l4proto udp numgen random mod 50 0 drop
      }
    }`,
  });
  await exchangeStreams(net, bytes);
  expect(client.states.at(-1)).toMatchObject({ state: 'connected' });
});
