import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import type { CapturedPacket } from '../../lab/packets/frame.ts';
import { resolve } from '../../lab/probes/probe.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { capturedWhile, seenBy } from '../support/programs/seen-by.ts';
import { exclude, hostPrefixes, include } from '../support/address-routing.ts';

/** Mode ip: where names are looked up while the tunnel is up, and while traffic is blocked. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab();
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());
afterEach(async () => {
  await net.disconnect();
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

const { echo, direct, inside, resolver, user, gateway } = addresses;

const isLookUp = ({ destinationPort }: CapturedPacket) => destinationPort === ports.dns;
const isToEcho = ({ destination }: CapturedPacket) => destination === echo.ipv4 || destination === echo.ipv6;

/** What a name that two resolvers know differently leads to, and what passed outside the tunnel meanwhile. */
async function lookUp(name: string) {
  let found: string[] = [];
  const packets = await capturedWhile(net.lab, async () => {
    found = await resolve(net.lab.user, name);
  });
  return { found, lookUps: packets.filter(isLookUp).length };
}

const asInside = { found: [inside.ipv4, inside.ipv6].sort(), lookUps: 0 };
const asOutside = {
  found: [direct.ipv4, direct.ipv6].sort(),
  lookUps: expect.any(Number) as number,
};

const includes = { what: 'include', routing: include(hostPrefixes(echo)), blocked: asOutside };
const excludes = {
  what: 'exclude, without the resolver',
  routing: exclude(hostPrefixes(direct)),
  blocked: { found: [], lookUps: 0 },
};
const excludesResolver = {
  what: 'exclude, with the resolver',
  routing: exclude([...hostPrefixes(direct), ...hostPrefixes(resolver)]),
  blocked: asOutside,
};

test.each(casesOf({ usual: [excludes], all: [includes, excludes, excludesResolver] }))(
  'names are looked up in the tunnel, and while traffic is blocked as their resolver is routed ($what)',
  { timeout: waitLimit(60_000) },
  async ({ routing, blocked }) => {
    // The positive control.
    const before = await lookUp(names.where);
    expect(before).toEqual(asOutside);
    expect(before.lookUps).toBeGreaterThan(0);

    const client = await net.connect({ routing, killSwitch: true });
    expect(await lookUp(names.where)).toEqual(asInside);
    // By name, too, hosts are reached as their addresses are listed.
    expect(await seenBy(net, names.echo)).toBeOneOf([gateway.ipv4, gateway.ipv6]);
    expect(await seenBy(net, names.direct)).toBeOneOf([user.ipv4, user.ipv6]);

    await client.call('disconnect', { reason: 'session-ended' });
    expect(client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
    const after = await lookUp(names.where);
    expect(after).toEqual(blocked);
    if (blocked === asOutside) expect(after.lookUps).toBeGreaterThan(0);
    const packets = await capturedWhile(net.lab, async () => {
      expect(await seenBy(net, names.echo)).toBeUndefined();
    });
    expect(packets.filter(isToEcho)).toEqual([]);
  },
);
