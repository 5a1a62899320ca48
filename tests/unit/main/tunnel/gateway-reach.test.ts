import { describe, expect, test, vi } from 'vitest';
import type { SignedIn, SignInResult } from '../../../../src/main/gateway/sign-in/session.ts';
import { address, session, handshaking, done, setUp } from '../support/tunnel-controller.ts';
import { gateway } from '../support/tunnel-states.ts';

describe('a gateway that redirects', () => {
  const member = { host: 'member.example.net', port: 4443 };
  const there: SignedIn = { gateway: member, address: '192.0.2.7', session, banner: 'Welcome' };

  test('prepared ahead: the helper gets the gateway that gave the session, users see the one that they chose', async () => {
    const { tunnel, commands, memory, settled, remembered, sessions, signIns, controller } = await setUp({
      results: [{ ok: true, signedIn: there }],
    });
    memory.rememberRedirect(gateway, member, '/');
    await controller.prepare(address);
    await vi.waitFor(() => expect(signIns).toHaveLength(1));
    expect(sessions, 'nobody has connected yet').toEqual([]);
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands().map(({ method, params }) => [method, params])).toMatchObject([
      ['connect', { gateway: member, address: '192.0.2.7', session }],
    ]);
    expect(remembered.get(member.host)).toBe('192.0.2.7');
    expect(sessions).toEqual([there]);
  });

  test('with traffic blocked the helper is asked for the other gateway before anything is sent there', async () => {
    const { tunnel, commands, memory, settled } = await setUp({
      killSwitch: true,
      async signIn({ reach }) {
        memory.rememberRedirect(gateway, member, '/');
        expect(commands().at(-1)?.params).toMatchObject({ gateway });
        expect(await reach?.(member, '192.0.2.7')).toEqual(['192.0.2.7']);
        return { ok: true, signedIn: there };
      },
    });
    await tunnel.connect({ address });
    await settled(handshaking);
    expect(commands().map(({ method, params }) => [method, params])).toMatchObject([
      ['connect', { gateway, address: '192.0.2.1' }],
      ['connect', { gateway: member, address: '192.0.2.7', killSwitch: true }],
      ['provideSession', { session }],
    ]);
  });

  test('an attempt that is cancelled reaches for nothing any more', async () => {
    const answers: unknown[] = [];
    const { tunnel, commands } = await setUp({
      async signIn({ reach }) {
        await tunnel.disconnect(undefined);
        answers.push(await reach?.(member, '192.0.2.7'));
        return { ok: false, failure: 'sign-in-cancelled' };
      },
    });
    await tunnel.connect({ address });
    await vi.waitFor(() => expect(answers).toEqual([[]]));
    expect(commands().filter(({ method }) => method === 'connect')).toHaveLength(1);
  });

  test.each([
    [false, 'disconnected'],
    [true, 'gateway-name-unknown'],
  ] as const)(
    'to a name that is unknown while traffic is blocked, with the kill switch %s',
    async (killSwitch, end) => {
      const { tunnel, commands, signIns, settled } = await setUp({
        killSwitch,
        results: [
          { ok: false, failure: 'gateway-name-unknown' },
          { ok: true, signedIn: there },
        ],
      });
      await tunnel.connect({ address });
      if (killSwitch) {
        await settled({ state: 'disconnected', reason: end });
        expect(signIns).toHaveLength(1);
      } else {
        // Nobody asked for traffic to stay blocked: it is opened, as for a form that the user answers.
        await vi.waitFor(() => expect(commands().at(-1)?.params).toMatchObject({ gateway: member, session }));
        expect(commands().map(({ method }) => method)).toEqual(['connect', 'disconnect', 'connect']);
      }
    },
  );

  test('its session is renewed where it was made', async () => {
    const {
      helper: running,
      signIns,
      memory,
      remembered,
      commands,
    } = await setUp({
      helperState: { state: 'connecting', gateway: member, attempt: 2, phase: 'handshaking' },
      results: [{ ok: true, signedIn: there }],
    });
    memory.rememberRedirect(gateway, member, '/');
    remembered.set(member.host, '192.0.2.7');
    running.set({ state: 'connecting', gateway: member, attempt: 2, phase: 'authenticating' });
    await vi.waitFor(() => expect(commands().map(({ method }) => method)).toContain('provideSession'));
    expect(signIns[0]).toMatchObject({ gateway: member, address: '192.0.2.7' });
  });
});

test('another path of the same gateway is signed in to again', async () => {
  const { tunnel, signIns, commands, settled, memory, controller } = await setUp();
  await controller.prepare(`${address}/one`);
  await vi.waitFor(() => expect(signIns).toHaveLength(1));
  await tunnel.connect({ address: `${address}/two` });
  await settled(handshaking);
  expect(signIns).toHaveLength(2);
  expect(memory.path(gateway)).toBe('/two');
  expect(commands()[0]?.params).toMatchObject({ gateway });
});

describe('a captive portal', () => {
  const unreachable: SignInResult = { ok: false, failure: 'gateway-unreachable' };
  const behindPortal = { results: [unreachable], isBehindPortal: async () => true };

  test('is the reason where it keeps the gateway out of reach', async () => {
    const { tunnel, settled } = await setUp(behindPortal);
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'captive-portal' });
  });

  test('is not the reason of a gateway that answers', async () => {
    const { tunnel, settled } = await setUp({
      ...behindPortal,
      results: [{ ok: false, failure: 'sign-in-refused' }],
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'sign-in-refused' });
  });

  test('is known from before where the kill switch blocks every probe', async () => {
    const isBehindPortal = vi.fn(async () => true);
    const { tunnel, helper: running, settled, controller } = await setUp({ ...behindPortal, isBehindPortal });
    running.on('disconnect', ({ reason }) =>
      running.set({ state: 'disconnected', blocked: true, ...(reason && { reason }) }),
    );
    await controller.prepare(address);
    expect(isBehindPortal).toHaveBeenCalledTimes(1);
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'captive-portal', blocked: true });
    expect(isBehindPortal).toHaveBeenCalledTimes(1);
  });

  test('is passed, and the connection that it kept away is tried again', async () => {
    const { tunnel, controller, settled, commands } = await setUp({
      results: [unreachable, done()],
      isBehindPortal: async () => true,
    });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'captive-portal' });
    controller.portalPassed();
    await settled(handshaking);
    await tunnel.disconnect(undefined);
    const count = commands().length;
    controller.portalPassed();
    await settled({ state: 'disconnected' });
    expect(commands()).toHaveLength(count);
  });

  test('without one the reason stays', async () => {
    const { tunnel, settled } = await setUp({ ...behindPortal, isBehindPortal: async () => false });
    await tunnel.connect({ address });
    await settled({ state: 'disconnected', reason: 'gateway-unreachable' });
  });
});
