import { expect, test, vi } from 'vitest';
import { address, session, authenticating, handshaking, done, setUp } from '../support/tunnel-controller.ts';
import { gateway } from '../support/tunnel-states.ts';

/** A sign-in after the click, with a helper that carries it to each of the gateway's addresses. */

const [first, second, third] = ['2001:db8::1', '192.0.2.1', '192.0.2.2'] as const;
const many = { addresses: [first, second, third], takesAddresses: true, signsInAnywhere: true };
const { cookie: _later, ...trust } = session;

test('a sign-in is tried at all addresses at once, and the helper learns at which the session was got', async () => {
  const { tunnel, commands, signIns, settled, remembered } = await setUp({ ...many, results: [done(third)] });
  await tunnel.connect({ address });
  await settled(handshaking);
  expect(signIns).toMatchObject([{ address: first, otherAddresses: [second, third] }]);
  expect(commands().map(({ method, params }) => [method, params])).toMatchObject([
    ['connect', { address: first, otherAddresses: [second, third] }],
    ['provideSession', { session, address: third }],
  ]);
  expect(remembered.get(gateway.host)).toBe(third);
});

test('a sign-in that no address answers is over after one round', async () => {
  const { tunnel, commands, signIns, settled } = await setUp({
    ...many,
    results: [{ ok: false, failure: 'gateway-unreachable' }],
  });
  await tunnel.connect({ address });
  await settled({ state: 'disconnected', reason: 'gateway-unreachable' });
  expect(signIns).toHaveLength(1);
  expect(commands().filter(({ method }) => method === 'connect')).toHaveLength(1);
});

test('for a connection from before, the helper is told of them first, and keeps it while none answers', async () => {
  const { commands, signIns, settled } = await setUp({
    ...many,
    helperState: { ...authenticating, attempt: 2 },
    results: [{ ok: false, failure: 'gateway-unreachable' }, done(second)],
  });
  await settled(handshaking);
  expect(signIns).toHaveLength(2);
  expect(commands().map(({ method, params }) => [method, params])).toMatchObject([
    ['setAddresses', { otherAddresses: [first, second, third] }],
    ['setAddresses', { otherAddresses: [first, second, third] }],
    ['provideSession', { session, address: second }],
  ]);
});

test('a helper from before has it tried at one after the other', async () => {
  const { tunnel, signIns, settled } = await setUp({
    ...many,
    signsInAnywhere: false,
    results: [{ ok: false, failure: 'gateway-unreachable' }, done(second)],
  });
  await tunnel.connect({ address });
  await settled(handshaking);
  expect(signIns.map((signIn) => [signIn.address, signIn.otherAddresses])).toEqual([
    [first, []],
    [second, []],
  ]);
});

test('once the gateway has proved who it is, the helper makes the tunnel’s own connection', async () => {
  const { tunnel, commands, settled } = await setUp({
    ...many,
    async signIn({ onVerified }) {
      onVerified?.({ gateway, address: second, trust });
      await vi.waitFor(() => expect(commands().at(-1)?.method).toBe('holdConnection'));
      return done(second);
    },
  });
  await tunnel.connect({ address });
  await settled(handshaking);
  expect(commands().map(({ method, params }) => [method, params])).toMatchObject([
    ['connect', { address: first }],
    ['holdConnection', { gateway, address: second, trust }],
    ['provideSession', { session, address: second }],
  ]);
});

test('a helper from before is asked for no such connection', async () => {
  const { tunnel, commands, settled } = await setUp({
    ...many,
    signsInAnywhere: false,
    async signIn({ onVerified }) {
      onVerified?.({ gateway, address: first, trust });
      return await Promise.resolve(done(first));
    },
  });
  await tunnel.connect({ address });
  await settled(handshaking);
  expect(commands().map(({ method }) => method)).toEqual(['connect', 'provideSession']);
});
