import { beforeEach, describe, expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { eventually, words } from '../../../lab/runs/process.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { attachTwoUsers } from '../../support/callers/attach-as.ts';
import type { TestClient } from '../../support/callers/test-client.ts';
import {
  connections,
  engineGone,
  hold,
  holdRequestOf,
  isAnsweredInTime,
  noConnection,
  turnsBeforeDatagrams,
  workers,
} from '../../support/held-connections.ts';
import { helperLabForEach } from '../../support/lab-for-each.ts';

/** A connection to the gateway that the engine holds ready before anybody wants a tunnel. */

const net = helperLabForEach({ engine: 'own' });
const { ipv4 } = addresses.gateway;
let session: GatewaySession;
let client: TestClient;

beforeEach(async () => {
  session = await net.signIn();
  client = await net.attach();
});

async function connect(changes: Parameters<typeof net.request>[0] = {}): Promise<void> {
  const seen = client.states.length;
  await client.call('connect', net.request({ session, ...changes }));
  await client.until('connected', { seen, where: ({ transport }) => transport === 'dtls' });
}

const isUsed = () => net.log().includes('the connection that was held is used');
const refused = (code: number) => expect.objectContaining({ code });
const notNow = refused(helperError.wrongState);

test('a tunnel takes one turn with the gateway on a held connection, and nothing else leaves before', async () => {
  const capture = await net.lab.capture(`host ${ipv4}`);
  await connect();
  const without = turnsBeforeDatagrams(await capture.packets(), ipv4);
  await client.call('disconnect', {});
  await noConnection(net);
  const packets = await eventually('the gateway answers in time', async () => {
    session = await net.signIn();
    const everything = await net.lab.capture('not arp and not icmp6');
    await hold(net, client, session);
    const held = await everything.stop();
    const others = held.filter(
      ({ source, destination, protocol }) => ![source, destination].includes(ipv4) || protocol !== 6,
    );
    expect(others.map(({ destination }) => destination)).toEqual([]);
    // All that it says is the handshake: the gateway is asked for nothing.
    expect(held.filter(({ isSyn, destination }) => isSyn && destination === ipv4)).toHaveLength(1);
    await capture.packets();

    await connect();
    const captured = await capture.packets();
    if (isAnsweredInTime(net)) return captured;
    await client.call('disconnect', {});
    await noConnection(net);
    net.forgetLog();
    return undefined;
  });
  await capture.stop();
  expect(packets.filter(({ isSyn }) => isSyn)).toEqual([]);
  expect(turnsBeforeDatagrams(packets, ipv4)).toBe(1);
  expect(without).toBeGreaterThanOrEqual(3);
  expect(isUsed()).toBe(true);
  expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: ipv4 });
});

describe('a tunnel comes without it', () => {
  test('where the gateway has been restarted since', async () => {
    await hold(net, client, session);
    await net.lab.gateway.restart();
    await engineGone(net);
    session = await net.signIn();
    await connect();
    expect(isUsed()).toBe(false);
  });

  test('where the network has forgotten it without a word', async () => {
    await hold(net, client, session);
    const [port = 0] = await connections(net);
    await net.lab.internet.run(['nft', '-f', '-'], {
      input: `table inet forgotten { chain forward { type filter hook forward priority 0; tcp sport ${port} drop; tcp dport ${port} drop; }; }`,
    });
    await connect();
    await net.lab.internet.run(words('nft delete table inet forgotten'));
    expect(net.log()).toContain('the connection that was held does not answer');
    expect(await connections(net)).not.toContain(port);
    expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: ipv4 });
  });

  test('where it is to another gateway, or for another key', async () => {
    await net.lab.untrustedGateway.start();
    const other = await net.signIn(net.lab.untrustedGateway);
    await hold(net, client, other, {
      gateway: { host: net.lab.untrustedGateway.name, port: 443 },
      address: addresses.untrustedGateway.ipv4,
    });
    await connect();
    expect(isUsed()).toBe(false);
    expect(
      (await net.lab.user.run(words('ss -Hnt state established'))).includes(
        `${addresses.untrustedGateway.ipv4}:443`,
      ),
    ).toBe(false);
    await client.call('disconnect', {});

    session = await net.signIn();
    await client.call(
      'holdConnection',
      holdRequestOf(net, { ...session, certificatePin: other.certificatePin }),
    );
    await eventually('the other key is seen', async () => net.log().includes('nothing is held') || undefined);
    await engineGone(net);
    await connect();
  });
});

describe('a held connection is gone, here and at the gateway,', () => {
  test('once its client has gone, or does not want it any more', async () => {
    await hold(net, client, session);
    expect(await workers(net)).toBe(1);
    await client.call('dropHeld', {});
    await noConnection(net);
    await engineGone(net);
    // A goodbye of TLS, not only the end of TCP.
    expect(await net.lab.gateway.log()).not.toMatch(/premature|unexpected|not properly terminated/i);

    await hold(net, client, session);
    net.letClientsGo();
    await noConnection(net);
    await engineGone(net);
  });

  test('once the way to the gateway is another one', async () => {
    await hold(net, client, session);
    await net.lab.user.run(words(`ip route add ${ipv4} via ${addresses.neighbour.ipv4}`));
    await engineGone(net);
    await net.lab.user.run(words(`ip route del ${ipv4}`));
    expect(net.log()).toContain('the way to the gateway has changed');
  });

  test('where the gateway does not wait: it is not opened again', async () => {
    // To hold one takes no session, whose sign-in could take longer than that.
    const seconds = Math.ceil(waitLimit(750) / 1_000);
    await net.lab.gateway.restart({ options: [`auth-timeout = ${seconds}`] });
    const capture = await net.lab.capture(`dst host ${ipv4} and tcp`);
    await hold(net, client, session);
    await noConnection(net);
    await engineGone(net);
    expect((await capture.stop()).filter(({ isSyn }) => isSyn)).toHaveLength(1);
  });
});

describe('there is none', () => {
  test('beside a tunnel, or while traffic is blocked', async () => {
    const request = holdRequestOf(net, session);
    await connect({ killSwitch: true });
    await expect(client.call('holdConnection', request)).rejects.toEqual(notNow);
    await net.lab.gateway.stop();
    await client.call('disconnect', { reason: 'plan-ended' });
    expect(client.states.at(-1)).toMatchObject({ blocked: true });
    const capture = await net.lab.capture(`dst host ${ipv4}`);
    await expect(client.call('holdConnection', request)).rejects.toEqual(notNow);
    expect(await net.engines()).toEqual([]);
    expect(await capture.stop()).toEqual([]);
    await client.call('disconnect', {});
    await net.lab.gateway.start();
    // Traffic flows again, so that there may be one: the refusals were for nothing else.
    session = await net.signIn();
    await hold(net, client, session);
  });

  test('for another user while somebody has one, who loses it to whoever connects', async () => {
    const [one, other] = await attachTwoUsers(net);
    try {
      await hold(net, one, session);
      const [port] = await connections(net);
      await expect(other.call('holdConnection', holdRequestOf(net, session))).rejects.toEqual(notNow);
      await other.call('dropHeld', {});
      expect(await connections(net)).toEqual([port]);
      await other.call('connect', net.request({ session }));
      await other.until('connected');
      expect(isUsed()).toBe(false);
      expect(await connections(net)).not.toContain(port);
      await other.call('disconnect', {});
    } finally {
      one[Symbol.dispose]();
      other[Symbol.dispose]();
    }
  });

  test('for whoever asks for too many, and never two at once', async () => {
    const request = holdRequestOf(net, session);
    const most = Array.from({ length: 12 }, () => client.call('holdConnection', request));
    const outcomes = await Promise.allSettled(most);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    await eventually('one is held', async () => (await workers(net)) === 1 || undefined);
    expect(await net.engines()).toHaveLength(1);
    await expect(client.call('holdConnection', request)).rejects.toEqual(refused(helperError.noRoom));
    // The next test's helper is another one: this one remembers who asked.
    await net.end('SIGTERM');
  });
});

test('a held connection’s process has no privileges, like an engine that carries a tunnel', async () => {
  await hold(net, client, session);
  const [pid = 0] = await net.engines();
  const status = await net.lab.user.run(['cat', `/proc/${pid}/status`]);
  expect(status).toMatch(/^CapPrm:\s*0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\s*1$/m);
});
