import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { addresses, ports } from '../lab/addresses.ts';
import { words } from '../lab/process.ts';
import { createHelperLab, type HelperLab } from './support/helper-lab.ts';

/** What the doctor says of where traffic goes, where the app's own tests do not come to. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

const { echo } = addresses;
const findings = z.array(z.object({ check: z.string(), outcome: z.string(), text: z.optional(z.string()) }));

/** By the kernel's word, and by a connection to the echo. */
async function judged(state: TunnelState | undefined) {
  const script = path.join(import.meta.dirname, 'support/doctor-ways.ts');
  const argv = [process.execPath, script, JSON.stringify(state), echo.ipv4, String(ports.http)];
  const all = findings.parse(JSON.parse(await net.lab.user.run(argv)));
  return Object.fromEntries(all.map(({ check, outcome }) => [check, outcome]));
}

async function judgedWithRule(rule: string, state: TunnelState | undefined) {
  await net.lab.user.run(words(`ip rule add pref 1 ${rule}`));
  try {
    return await judged(state);
  } finally {
    await net.lab.user.run(words(`ip rule del pref 1 ${rule}`));
  }
}

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
