import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import type { CapturedPacket } from '../../lab/packets/frame.ts';
import { eventually } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { capturedWhile } from '../support/programs/seen-by.ts';
import { goOn, talkOnBoth, type Host, type Talk } from '../support/programs/talk.ts';
import { exclude, hostPrefixes, include } from '../support/address-routing.ts';

/** Mode ip: what becomes of connections that are open when a tunnel is made, and when it ends. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab();
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());
afterEach(() => net.disconnect());

const { echo, direct } = addresses;
/** By either, the echo belongs in the tunnel and its neighbour does not. */
const listed = include(hostPrefixes(echo));
const routings = casesOf({ usual: [listed], all: [listed, exclude(hostPrefixes(direct))] });

const talkTo = (host: Host, word: string, protocol?: 'tcp' | 'udp') =>
  talkOnBoth(net.lab.user, host, word, protocol);

const markersOf = (talks: readonly Talk[]) => talks.map(({ marker }) => marker);

const own: readonly string[] = Object.values(addresses.user);
/**
 * The markers of those who said something outside the tunnel. A host repeats what it has no acknowledgement for,
 * whether or not anybody is there any more.
 */
const heard = (packets: readonly CapturedPacket[], talks: readonly Talk[]) =>
  markersOf(talks).filter((marker) =>
    packets.some(({ destination, payload }) => !own.includes(destination) && payload.includes(marker)),
  );

test.each(routings)(
  'connections to what belongs in the tunnel end with its beginning and its end, others go on ($policy)',
  { timeout: waitLimit(60_000) },
  async (routing) => {
    const { policy } = routing;
    const others = [
      ...(await talkTo(direct, `${policy}-direct`)),
      ...(await talkTo(direct, `${policy}-direct`, 'udp')),
    ];
    const before = await talkTo(echo, `${policy}-before`);
    const datagrams = await talkTo(echo, `${policy}-before`, 'udp');
    const all = [...others, ...before, ...datagrams];
    // The positive control.
    expect(heard(await capturedWhile(net.lab, () => goOn(all)), all)).toEqual(markersOf(all));

    const client = await net.attach();
    const session = await net.signIn();
    await client.call('connect', net.request({ routing, session, killSwitch: true }));
    const connecting = await capturedWhile(net.lab, async () => {
      await client.until('connected');
      await goOn(others);
      await eventually('they have ended', () => before.every((one) => one.isOver()) || undefined);
    });
    expect(heard(connecting, all)).toEqual(markersOf(others));

    const within = await talkTo(echo, `${policy}-within`);
    const inside = [...within, ...(await talkTo(echo, `${policy}-within`, 'udp'))];
    const connected = await capturedWhile(net.lab, () => goOn([...others, ...inside]));
    expect(heard(connected, [...all, ...inside])).toEqual(markersOf(others));

    const disconnecting = await capturedWhile(net.lab, async () => {
      await client.call('disconnect', {});
      await goOn(others);
      await eventually('they have ended', () => within.every((one) => one.isOver()) || undefined);
    });
    expect(heard(disconnecting, [...others, ...inside])).toEqual(markersOf(others));
    for (const one of [...all, ...inside]) one.end();
  },
);
