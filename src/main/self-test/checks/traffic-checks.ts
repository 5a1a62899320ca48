import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { addresses, names, type AddressPair } from '../addresses.ts';
import { newToken, NotChecked, type Bench, type Check } from './bench.ts';
import { protocol, type Frame } from '../packets/frame.ts';
import { askByTcp, askByUdp, isPinged } from './probes.ts';

/** How long a tunnel may take to be there, in milliseconds: to a gateway at hand, it takes a fraction of a second. */
const connectMs = 20_000;
const datagramsMs = 6_000;
const answerMs = 5_000;
/** How long somebody is asked who must not answer. */
const silenceMs = 700;

/** The check that connects; those after it need its tunnel. */
export function connectCheck(bench: Bench, address: string): Check {
  const { world, client } = bench;
  return {
    observers: ['uplink', 'far-side'],
    async run() {
      const before = world.gateway.counts();
      let problems: string[] = [];
      const frames = await bench.observe(async () => {
        const asked = await client.tunnel.connect({ address });
        if (!asked.ok) {
          problems = [`the connection was refused: ${asked.error}`];
          return;
        }
        if (!(await bench.until(({ state }) => state === 'connected', connectMs))) {
          problems = [`not connected: ${JSON.stringify(bench.state())}`];
          return;
        }
        const usesDatagrams = (state: ReturnType<Bench['state']>) =>
          state.state === 'connected' && state.transport === 'dtls';
        if (!(await bench.until(usesDatagrams, datagramsMs)))
          problems = ['no datagrams: TLS carries the packets'];
        await askByTcp(addresses.host.ipv4, newToken());
      });
      if (problems.length > 0) return problems;
      const now = world.gateway.counts();
      const toGateway = (kind: number) =>
        frames.some(
          ({ packet }) => packet?.destination === addresses.gateway.ipv4 && packet.protocol === kind,
        );
      const expected: [boolean, string][] = [
        // A later tunnel may have a session that was made ahead.
        [now.signIns > 0, 'the gateway has seen no sign-in'],
        [now.tunnels > before.tunnels, 'the gateway has made no tunnel'],
        [now.packets.dtls > before.packets.dtls, 'no packet has come to the gateway by DTLS'],
        [toGateway(protocol.tcp), 'no TCP to the gateway was seen on the uplink'],
        [toGateway(protocol.udp), 'no UDP to the gateway was seen on the uplink'],
      ];
      return expected.flatMap(([isSo, problem]) => (isSo ? [] : [problem]));
    },
  };
}

/** What reaches a host, and by which way; `from`: whom it has to see. */
async function answersOf(host: string, token: string): Promise<Record<'tcp' | 'udp', string | undefined>> {
  const [tcp, udp] = await Promise.all([askByTcp(host, token, { limitMs: answerMs }), askByUdp(host, token)]);
  return { tcp: tcp?.place, udp };
}

const carriesToken = (frames: readonly Frame[], token: string) =>
  frames.some(({ packet }) => packet?.payload.includes(token) === true);

/** Packets of an IP version go through the tunnel and come back, and are not seen in clear on the uplink. */
export function versionCheck(bench: Bench, family: keyof AddressPair): Check {
  return {
    observers: ['uplink', 'far-side'],
    async run() {
      if (family === 'ipv6' && !bench.world.hasIpv6) throw new NotChecked('no-ipv6');
      const host = addresses.host[family];
      const token = newToken();
      const problems: string[] = [];
      const frames = await bench.observe(async () => {
        const [{ tcp, udp }, seen, pinged] = await Promise.all([
          answersOf(host, token),
          askByTcp(host, token),
          isPinged(host, token),
        ]);
        if (tcp !== 'inside') problems.push(`TCP to ${host}: ${tcp ?? 'no answer'}`);
        if (udp !== 'inside') problems.push(`UDP to ${host}: ${udp ?? 'no answer'}`);
        if (!pinged) problems.push(`ping to ${host}: no answer`);
        const from = seen?.from.replace('::ffff:', '');
        if (seen && from !== addresses.tunnel[family]) problems.push(`the host has seen ${from}`);
      });
      if (carriesToken(frames, token)) problems.push('the packets were seen on the uplink');
      if (!bench.world.heard.inside.some((text) => text.includes(token)))
        problems.push('nothing has come to the host behind the gateway');
      return problems;
    },
  };
}

/** Programs find names at the tunnel's resolver, and only there. */
export function namesCheck(bench: Bench): Check {
  return {
    observers: ['uplink', 'far-side'],
    async run() {
      const token = newToken();
      const problems: string[] = [];
      const { heard } = bench.world;
      const frames = await bench.observe(async () => {
        const found = await lookup(names.where, { family: 4 }).then(
          ({ address }) => address,
          (error: unknown) => String(error),
        );
        if (found !== addresses.host.ipv4) problems.push(`${names.where} leads to ${found}`);
        await lookup(`${token}.${names.probes}`).catch(() => undefined);
      });
      const asked = [...heard.inside, ...heard.outside].filter((name) => name.startsWith(token));
      if (asked.length === 0) problems.push('no resolver was asked');
      const own: readonly string[] = Object.values(addresses.tunnelResolver);
      const others = asked.filter((name) => !own.some((resolver) => name.endsWith(` at ${resolver}`)));
      if (others.length > 0)
        problems.push(`resolvers were asked that are not the tunnel’s: ${others.join(', ')}`);
      if (carriesToken(frames, token)) problems.push('a look-up was seen on the uplink');
      return problems;
    },
  };
}

/** By which way hosts are reached: `undefined` for those that must not be. */
export interface Expected {
  host: string;
  place: 'inside' | 'outside' | undefined;
}

/** Asks each host, and says which was reached by another way than expected; nothing that belongs inside is in clear. */
export async function waysOf(
  bench: Bench,
  expected: readonly Expected[],
  ask?: (host: string, token: string) => Promise<string | undefined>,
): Promise<string[]> {
  const tokens = expected.map(newToken);
  let places: (string | undefined)[] = [];
  const frames = await bench.observe(async () => {
    places = await Promise.all(
      expected.map(async ({ host, place }, index) => {
        const token = tokens[index] ?? '';
        if (ask) return await ask(host, token);
        return (await askByTcp(host, token, { limitMs: place ? answerMs : silenceMs }))?.place;
      }),
    );
    await delay(50);
  });
  return expected.flatMap(({ host, place }, index) => {
    const found = places[index];
    const isSeen = carriesToken(frames, tokens[index] ?? '');
    const problems: string[] = [];
    if (!isDeepStrictEqual(found, place))
      problems.push(`${host} was reached ${found ?? 'by no way'} instead of ${place ?? 'by no way'}`);
    if (isSeen !== (place === 'outside'))
      problems.push(`packets to ${host} were ${isSeen ? '' : 'not '}seen on the uplink`);
    return problems;
  });
}
