import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { maxGoodbyeChars } from '#shared/tunnel/state.ts';
import {
  startHostileGateway,
  usableHeaders,
  type HostileGateway,
} from '../../lab/gateway/hostile-gateway.ts';
import { engines } from '../support/engines.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** A gateway that closes the connection of a tunnel that is up. */

const headers = (address: string) =>
  [...usableHeaders, ['X-CSTP-Address', address], ['X-CSTP-Netmask', '255.255.255.255']] as const;

describe.each(engines)('with %s', (engine) => {
  let net: HelperLab;
  let gateway: HostileGateway;
  let client: TestClient;

  beforeAll(async () => {
    net = await createHelperLab({ gateway: false, engine });
    gateway = await startHostileGateway(net.lab.gatewayMachine, net.lab.directory, net.lab.gateway);
    await net.start();
  });
  beforeEach(async () => {
    await gateway.push(headers('198.51.100.140'));
    client = await net.attach();
    await client.call('connect', net.request({ session: gateway.session }));
    await client.until('connected');
  });
  afterEach(async () => {
    await client.call('disconnect', {});
    client[Symbol.dispose]();
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });
  afterAll(() => net[Symbol.asyncDispose]());

  test('and gives another address then: connected again with that, without another sign-in', async () => {
    await gateway.push(headers('198.51.100.141'));
    const seen = client.states.length;
    gateway.closeConnections();
    const { addresses } = await client.until('connected', {
      seen,
      where: ({ addresses: { ipv4 } }) => ipv4 !== '198.51.100.140',
    });
    expect(addresses).toEqual({ ipv4: '198.51.100.141' });
    expect(client.states).not.toContainEqual(expect.objectContaining({ phase: 'authenticating' }));
  });

  // Of those with which a gateway ends the session, too, openconnect tells nothing.
  test.each([
    ['keeps the session', false],
    ...(engine === 'own' ? [['ends the session, too', true] as const] : []),
  ] as const)('with last words and %s: the state has what can be shown of them', async (_how, isFinal) => {
    await gateway.push([]);
    const seen = client.states.length;
    await gateway.sayGoodbye('\u202eEnded by\u001b[2J\nan \u2019administrator\u2019', { isFinal });
    // openconnect prints a dot for each byte that is not of ASCII, or is not seen.
    const goodbye =
      engine === 'own'
        ? 'Ended by[2J an \u2019administrator\u2019'
        : '...Ended by.[2J.an ...administrator...';
    await client.until('connecting', { seen, where: (state) => state.goodbye === goodbye });
    await client.call('disconnect', { reason: 'session-ended' });
    const { reason, goodbye: last } = await client.until('disconnected', { seen });
    expect([reason, last]).toEqual(['session-ended', goodbye]);
    await client.call('disconnect', {});
    expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
  });

  test('with more words than can be shown: the state has the first of them', async () => {
    await gateway.push([]);
    const seen = client.states.length;
    await gateway.sayGoodbye('too much '.repeat(200), { isFinal: false });
    await client.until('connecting', {
      seen,
      where: ({ goodbye = '' }) => goodbye.startsWith('too much too') && goodbye.length <= maxGoodbyeChars,
    });
  });

  test('and refuses another one: the state has the reason that it gives, as far as that can be shown', async () => {
    await gateway.refuse('No\u202e licence is left');
    const seen = client.states.length;
    gateway.closeConnections();
    // For a character that is not of ASCII, openconnect prints a question mark.
    const reason = engine === 'own' ? 'No licence is left' : 'No? licence is left';
    await client.until('connecting', { seen, where: ({ goodbye }) => goodbye === reason });
  });

  if (isExhaustive)
    test('and answers no more: the state does not stay connected', async () => {
      await gateway.push([]);
      const seen = client.states.length;
      gateway.closeConnections();
      await client.until('connecting', { seen, where: ({ attempt }) => attempt > 1 });
    });
});
