import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConnectRequest } from '#shared/helper/protocol.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** A gateway with several addresses, of both IP versions. */

let net: HelperLab;
let client: TestClient;

const { ipv4, ipv6 } = addresses.gateway;
/** In the gateway's network, and nobody's. */
const nobodys = '198.51.100.9';

beforeAll(async () => {
  net = await createHelperLab({ gatewayFamilies: 'dual-stack' });
  await net.start();
  client = await net.attach();
});

afterEach(async () => {
  await client.call('disconnect', {});
  await endHole();
});

afterAll(() => net[Symbol.asyncDispose]());

async function connect(changes: Partial<ConnectRequest>): Promise<void> {
  const seen = client.states.length;
  await client.call('connect', net.request({ session: await net.signIn(), ...changes }));
  await client.until('connected', { seen, limitMs: 30_000 });
}

/** Drops what comes to the gateway's address on the way, without a word. */
const swallow = (family: 'ip' | 'ip6', address: string) =>
  net.lab.internet.run(['nft', '-f', '-'], {
    input: `table inet hole { chain forward { type filter hook forward priority 0; ${family} daddr ${address} drop; }; }`,
  });

const endHole = () => net.lab.internet.exec(['nft', 'delete', 'table', 'inet', 'hole']);

/** The gateway's addresses to which the engine has connections. */
async function inUse(): Promise<string[]> {
  const sockets = await net.lab.user.run(words('ss -Hnt state established dport = :443'));
  return [ipv4, ipv6].filter(
    (address) => sockets.includes(`${address}:443`) || sockets.includes(`[${address}]:443`),
  );
}

if (isExhaustive)
  test('a gateway is found at its second address where somebody else is at the first', async () => {
    await net.lab.untrustedGateway.start();
    await connect({ address: addresses.untrustedGateway.ipv4, otherAddresses: [ipv4] });
    expect(await inUse()).toEqual([ipv4]);
  });

test('a gateway is found at another address where the first is silent, and at the last when that one goes away', async () => {
  await connect({ address: nobodys, otherAddresses: [ipv6, ipv4] });
  const found = await inUse();
  // Usually the second one, but for a machine that is too busy to begin in time there.
  expect([[ipv6], [ipv4]]).toContainEqual(found);
  const isOverIpv6 = found[0] === ipv6;
  await (isOverIpv6 ? swallow('ip6', ipv6) : swallow('ip', ipv4));
  const seen = client.states.length;
  await client.until('connected', { seen: await left(seen), limitMs: 40_000 });
  expect(await inUse()).toEqual([isOverIpv6 ? ipv4 : ipv6]);
  expect(await net.lab.user.probe.http4('overTheOther')).toMatchObject({ address: ipv4 });
});

test('a gateway is looked for where it has moved to, as soon as that is known', async () => {
  await connect({ address: ipv6, killSwitch: true });
  const seen = client.states.length;
  await swallow('ip6', ipv6);
  await left(seen);
  await client.call('setAddresses', { otherAddresses: [ipv4] });
  await client.until('connected', { seen: client.states.length, limitMs: 40_000 });
  expect(await inUse()).toEqual([ipv4]);
});

/** Waits until the tunnel is lost; resolves with how many states were seen by then. */
async function left(seen: number): Promise<number> {
  await client.until('connecting', { seen, limitMs: 30_000 });
  return client.states.length;
}
