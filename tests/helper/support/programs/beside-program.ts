import { expect } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { prefixTables, routingTable } from '../../../../helper/linux/identifiers.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { eventually, words } from '../../../lab/runs/process.ts';
import type { ProgramLab } from './program-lab.ts';
import { isCaptured } from '../is-captured.ts';
import { places, type Places } from '../deaths/places.ts';
import { proxyOf } from '../proxy/proxy-of.ts';

/** A connection, while another program of the machine does what it does to the network. */

const { echo, gateway, user } = addresses;

/** Our rules of an IP version, as ip(8) prints them. */
export async function ourRules({ net }: ProgramLab, family: '-4' | '-6'): Promise<string> {
  return (await net.lab.user.exec(['sh', '-c', `ip ${family} rule | grep 'proto 87'`])).stdout;
}

/** What of ours the kernel has. */
async function ours(lab: ProgramLab): Promise<string> {
  const { user: machine } = lab.net.lab;
  const tables = [routingTable, ...prefixTables];
  const filter = await machine.exec(words('nft --stateless list table inet waymaker'));
  const ofFamily = async (family: '-4' | '-6') => [
    await ourRules(lab, family),
    ...(await Promise.all(
      tables.map(
        async (table) => (await machine.exec(words(`ip ${family} route show table ${table}`))).stdout,
      ),
    )),
  ];
  return [filter.stdout, ...(await ofFamily('-4')), ...(await ofFamily('-6'))].join('---\n');
}

/** The machine's network, without the order in which its routes were added. */
const networkOf = async ({ net }: ProgramLab): Promise<string[]> =>
  (await net.lab.user.snapshot()).split('\n').sort();

/**
 * Connects with the kill switch on, and has the other program do each of `acts` while connected, and while traffic is
 * blocked: nothing that belongs in the tunnel leaves outside it, what others take away is put back, packets pass again,
 * and after the disconnect the network is as the other program has it.
 */
export async function expectUnharmed(
  lab: ProgramLab,
  senders: Places,
  routing: Routing,
  acts: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const initial = await networkOf(lab);
  const control = await senders.packetsWhile(() => senders.send());
  for (const place of places) expect(control[place]).toBeGreaterThan(0);
  const isInside = (place: (typeof places)[number]) => isCaptured(routing, 'echo', place === 'group');
  async function expectNoLeak(what: string, during: () => Promise<unknown>): Promise<void> {
    const packets = await senders.packetsWhile(during);
    for (const place of places)
      if (isInside(place)) expect(packets[place], [what, ...packets.described].join('\n')).toBe(0);
  }

  await lab.connect(routing, { killSwitch: true });
  const proxy = routing.mode === 'pac' ? proxyOf(lab.client).address : undefined;
  const isAnswered = true;
  const asks = [
    ...places.map((place) => ({
      ask: { place, host: echo.ipv4, isAnswered },
      seen: isInside(place) ? gateway.ipv4 : user.ipv4,
    })),
    ...places.map((place) => ({
      ask: { place, host: echo.ipv6, isAnswered },
      seen: isInside(place) ? gateway.ipv6 : user.ipv6,
    })),
    ...(proxy === undefined
      ? []
      : [{ ask: { place: 'group' as const, host: echo.ipv4, proxy, isAnswered }, seen: gateway.ipv4 }]),
  ];
  async function expectPassing(what: string): Promise<void> {
    let others: string[] = [];
    const allAsExpected = async () => {
      const seen = await senders.seen(asks.map(({ ask }) => ask));
      others = asks.flatMap((one, index) =>
        seen[index] === one.seen ? [] : [`${JSON.stringify(one)}, and was ${seen[index] ?? 'not answered'}`],
      );
      return others.length === 0 || undefined;
    };
    await eventually(`after ${what} packets pass`, allAsExpected).catch((cause: unknown) => {
      throw new Error(`after ${what} some do not pass as they should:\n${others.join('\n')}`, { cause });
    });
  }

  await expectPassing('the connection was made');
  const before = await ours(lab);
  for (const [what, act] of Object.entries(acts)) {
    await expectNoLeak(what, async () => {
      await act();
      await eventually(
        `after ${what} all is put back`,
        async () => (await ours(lab)) === before || undefined,
      );
      await expectPassing(what);
    });
    // What was missing is told after it is back.
    const isSound = () => {
      const state = lab.client.states.at(-1);
      return (state?.state === 'connected' && state.problems === undefined) || undefined;
    };
    await eventually(`after ${what} nothing is wrong`, isSound);
  }
  await lab.client.call('disconnect', { reason: 'session-ended' });
  await expectNoLeak('a refusal', async () => {
    for (const act of Object.values(acts)) await act();
    await senders.send();
  });
  expect(lab.client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
  await lab.client.call('disconnect', {});
  // The other program may not be done with its link yet.
  await expect.poll(() => networkOf(lab)).toEqual(initial);
  expect((await senders.packetsWhile(() => senders.send())).outside).toBeGreaterThan(0);
}
