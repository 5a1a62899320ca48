import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { TunnelPreferences } from '#shared/host/preferences.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import { addresses, ports } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { runInGroup } from '../support/programs/grouped-process.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/** What the doctor says of where traffic goes, where the app's own tests do not come to. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

const { echo } = addresses;
const findings = z.array(z.object({ check: z.string(), outcome: z.string(), text: z.optional(z.string()) }));

/** What is chosen, where that is not everything through the tunnel. */
interface Chosen {
  preferences?: Partial<TunnelPreferences>;
  routing?: Routing;
}

/** By the kernel's word, and by a connection to the echo. */
async function judged(state: TunnelState | undefined, chosen: Chosen = {}) {
  const { stdout } = await net.lab.user.exec(doctor(state, chosen));
  return outcomes(stdout);
}

function doctor(state: TunnelState | undefined, chosen: Chosen): string[] {
  const script = programFile('tests/helper/support/installed/doctor-ways.ts');
  const [given, wanted] = [state, chosen].map((one) => JSON.stringify(one));
  return [process.execPath, script, given ?? '', echo.ipv4, String(ports.http), wanted ?? ''];
}

const outcomes = (stdout: string) =>
  Object.fromEntries(
    findings.parse(JSON.parse(stdout)).map(({ check, outcome }) => [check, outcome] as const),
  );

async function judgedWithRule(rule: string, state: TunnelState | undefined) {
  await net.lab.user.run(words(`ip rule add pref 1 ${rule}`));
  try {
    return await judged(state);
  } finally {
    await net.lab.user.run(words(`ip rule del pref 1 ${rule}`));
  }
}

if (isExhaustive)
  test('judges the networks that a server has named, and finds one that goes another way', async () => {
    const options = ['route = 203.0.113.80/31', `no-route = ${addresses.direct.ipv4}/32`];
    await net.lab.gateway.restart({ options });
    const client = await net.connect({ split: true });
    const state = client.states.at(-1);
    expect(state).toMatchObject({ routing: { mode: 'split' } });
    expect(await judged(state)).toEqual({ route: 'ok', probe: 'ok' });
    const past = await judgedWithRule(`to ${echo.ipv4} lookup main`, state);
    expect(past).toEqual({ route: 'problem', probe: 'problem' });
    // One more than the kernel has.
    const tunnel = state?.state === 'connected' ? state : undefined;
    const claimed = tunnel && { ...tunnel, routing: { mode: 'split', networks: 7 } as const };
    expect(await judged(claimed)).toEqual({ route: 'problem', probe: 'ok' });
    await client.call('disconnect', {});
  });

if (isExhaustive)
  test('says that nothing gets out while traffic is blocked, and says so if something does', async () => {
    const blocked = { state: 'disconnected', blocked: true } as const;
    expect(await judged(blocked), 'nothing is blocked, whatever is said').toMatchObject({ probe: 'problem' });
    await net.lab.gateway.restart({ options: [] });
    const client = await net.connect({ killSwitch: true });
    await client.call('disconnect', { reason: 'session-ended' });
    expect(client.states.at(-1)).toMatchObject(blocked);
    expect(await judged(client.states.at(-1))).toMatchObject({ probe: 'ok' });
    await client.call('disconnect', {});
  });

const listing = (address: string): Routing => ({
  mode: 'ip',
  policy: 'include',
  routeIps: [`${address}/32`],
  localNetwork: false,
});
const byApp = (policy: 'include' | 'exclude') => ({
  routing: { mode: 'app' as const, policy, localNetwork: false },
  preferences: { routing: 'app' as const, apps: { policy, ids: [] } },
});
const byAddress = { routing: 'address' } as const;

/** `ok`: what it connects to is blocked, and belongs in the tunnel; `unknown`: it is neither. */
const blockable = [
  ['what is listed', { routing: listing(echo.ipv4), preferences: byAddress }, 'ok'],
  ['what is not listed', { routing: listing(addresses.direct.ipv4), preferences: byAddress }, 'unknown'],
  ['all but the chosen apps', byApp('exclude'), 'ok'],
  ['the chosen apps', byApp('include'), 'unknown'],
  [
    'what the proxy is given',
    {
      routing: { mode: 'pac', routeDomains: ['a.test'], blockedDomains: [] },
      preferences: { routing: 'automatic' },
    },
    'unknown',
  ],
] as const satisfies [string, Chosen, string][];

test.each(casesOf<(typeof blockable)[number]>({ usual: blockable.slice(0, 1), all: blockable }))(
  'judges by the routing mode what is blocked: %s',
  async (_, chosen, expected) => {
    const { routing, preferences } = chosen;
    const claimed = { state: 'disconnected', blocked: true } as const;
    const { probe } = await judged(claimed, { routing, preferences });
    expect(probe, 'nothing is blocked, whatever is said').toBe(expected === 'ok' ? 'problem' : 'unknown');
    await net.lab.gateway.restart({ options: [] });
    const client = await net.connect({ killSwitch: true, routing });
    await client.call('disconnect', { reason: 'session-ended' });
    const state = client.states.at(-1);
    expect(state).toMatchObject(claimed);
    expect(await judged(state, { routing, preferences })).toMatchObject({ probe: expected });
    if (routing.mode === 'app') {
      // A doctor that is one of the chosen apps itself.
      const command = doctor(state, { routing, preferences }).map((word) => `'${word}'`);
      const { stdout } = await runInGroup(net.lab.user, { uid: 0, client }, command.join(' '));
      expect(outcomes(stdout)).toMatchObject({ probe: expected === 'ok' ? 'unknown' : 'ok' });
    }
    await client.call('disconnect', {});
  },
);
