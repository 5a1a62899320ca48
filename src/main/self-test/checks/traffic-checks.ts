import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { names, ports, type AddressPair } from '../addresses.ts';
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
  const { around, client } = bench;
  const { gateway, host } = around.places;
  return {
    observers: ['uplink', 'far-side'],
    async run() {
      const before = await around.farSide.counts();
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
        await askByTcp({ host: host.ipv4, port: ports.http }, newToken());
      });
      if (problems.length > 0) return problems;
      const now = await around.farSide.counts();
      const toGateway = (kind: number) =>
        frames.some(
          ({ packet }) =>
            packet !== undefined &&
            gateway.addresses.includes(packet.destination) &&
            packet.protocol === kind,
        );
      const expected: [boolean, string][] = [
        // A later tunnel may have a session that was made ahead.
        [now.signIns > 0, 'the gateway has seen no sign-in'],
        [now.tunnels > before.tunnels, 'the gateway has made no tunnel'],
        [now.packets.dtls > before.packets.dtls, 'no packet has come to the gateway by DTLS'],
        // What a computer sends to itself is on no wire.
        [around.isOnThisComputer || toGateway(protocol.tcp), 'no TCP to the gateway was seen on the uplink'],
        [around.isOnThisComputer || toGateway(protocol.udp), 'no UDP to the gateway was seen on the uplink'],
      ];
      return expected.flatMap(([isSo, problem]) => (isSo ? [] : [problem]));
    },
  };
}

/** What reaches a host, and by which way; `from`: whom it has to see. */
async function answersOf(host: string, token: string): Promise<Record<'tcp' | 'udp', string | undefined>> {
  const [tcp, udp] = await Promise.all([
    askByTcp({ host, port: ports.http }, token, { limitMs: answerMs }),
    askByUdp(host, token),
  ]);
  return { tcp: tcp?.place, udp };
}

const carriesToken = (frames: readonly Frame[], token: string) =>
  frames.some(({ packet }) => packet?.payload.includes(token) === true);

/** Packets of an IP version go through the tunnel and come back, and are not seen in clear on the uplink. */
export function versionCheck(bench: Bench, family: keyof AddressPair): Check {
  return {
    observers: ['uplink', 'far-side'],
    async run() {
      const { hasIpv6, places, farSide, computer } = bench.around;
      if (family === 'ipv6' && !hasIpv6) throw new NotChecked('no-ipv6');
      const host = places.host[family];
      const token = newToken();
      const problems: string[] = [];
      const frames = await bench.observe(async () => {
        const [{ tcp, udp }, seen, pinged] = await Promise.all([
          answersOf(host, token),
          askByTcp({ host, port: ports.http }, token),
          isPinged(computer, host, token),
        ]);
        if (tcp !== 'inside') problems.push(`TCP to ${host}: ${tcp ?? 'no answer'}`);
        if (udp !== 'inside') problems.push(`UDP to ${host}: ${udp ?? 'no answer'}`);
        if (!pinged) problems.push(`ping to ${host}: no answer`);
        const from = seen?.from.replace('::ffff:', '');
        if (seen && from !== places.tunnel[family]) problems.push(`the host has seen ${from}`);
      });
      if (carriesToken(frames, token)) problems.push('the packets were seen on the uplink');
      if ((await farSide.heard('inside', token)).length === 0)
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
      const { farSide, places } = bench.around;
      const frames = await bench.observe(async () => {
        const found = await lookup(names.where, { family: 4 }).then(
          ({ address }) => address,
          (error: unknown) => String(error),
        );
        if (found !== places.host.ipv4) problems.push(`${names.where} leads to ${found}`);
        await lookup(`${token}.${names.probes}`).catch(() => undefined);
      });
      const heard = await Promise.all([farSide.heard('inside', token), farSide.heard('outside', token)]);
      const asked = heard.flat();
      if (asked.length === 0) problems.push('no resolver was asked');
      const own: readonly string[] = Object.values(places.tunnelResolver);
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
  /** That of ordinary hosts, if it is not named. */
  port?: number;
  place: 'inside' | 'outside' | undefined;
}

/** Asks each host, and says which was reached by another way than expected; nothing that belongs inside is in clear. */
export async function waysOf(
  bench: Bench,
  expected: readonly Expected[],
  ask?: (host: string, token: string) => Promise<string | undefined>,
): Promise<string[]> {
  const { answersOutside } = bench.around;
  const tokens = expected.map(newToken);
  let places: (string | undefined)[] = [];
  /** What its answer is to be. Where nobody answers outside, the capture alone shows that packets have gone there. */
  const answerOf = ({ place, port }: Expected) =>
    place === 'outside' && port === undefined && !answersOutside ? undefined : place;
  const frames = await bench.observe(async () => {
    places = await Promise.all(
      expected.map(async (one, index) => {
        const { host, port = ports.http } = one;
        const token = tokens[index] ?? '';
        if (ask) return await ask(host, token);
        const limitMs = answerOf(one) ? answerMs : silenceMs;
        return (await askByTcp({ host, port }, token, { limitMs }))?.place;
      }),
    );
    await delay(50);
  });
  return expected.flatMap((one, index) => {
    const { host, place, port = ports.http } = one;
    const found = places[index];
    // A connection that nobody accepts has not carried its text.
    const isSeen =
      place === 'outside' && answerOf(one) === undefined
        ? frames.some(({ packet }) => packet?.destination === host && packet.destinationPort === port)
        : carriesToken(frames, tokens[index] ?? '');
    const problems: string[] = [];
    if (!isDeepStrictEqual(found, answerOf(one)))
      problems.push(`${host} was reached ${found ?? 'by no way'} instead of ${place ?? 'by no way'}`);
    if (isSeen !== (place === 'outside'))
      problems.push(`packets to ${host} were ${isSeen ? '' : 'not '}seen on the uplink`);
    return problems;
  });
}
