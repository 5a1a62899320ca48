import { lookup } from 'node:dns/promises';
import { names, ports, type AddressPair } from '../addresses.ts';
import type { IpVersion, Unseen } from '../verdict.ts';
import { newToken, type Bench, type Check } from './bench.ts';
import { NotChecked } from './not-checked.ts';
import { protocol, type Frame } from '../packets/frame.ts';
import { askByTcp, askByUdp, ipVersionOf, isPinged, type Way } from './probes.ts';
import { alsoSeen, sightOf, unseenIn, withoutSight, withSight } from './sight.ts';

/** How long a tunnel may take to be there, in milliseconds: to a gateway at hand, it takes a fraction of a second. */
const connectMs = 20_000;
const datagramsMs = 6_000;
const answerMs = 5_000;

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
      if (problems.length > 0) return withoutSight(problems);
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
      ];
      const wrong = expected.flatMap(([isSo, problem]) => (isSo ? [] : [problem]));
      // What a computer sends to itself is on no wire.
      if (around.isOnThisComputer) return { problems: wrong, unseen: [], blind: ['uplink'] };
      const onWire = (['TCP', 'UDP'] as const).map((way) => {
        const isSeen = toGateway(way === 'TCP' ? protocol.tcp : protocol.udp);
        const unseen = isSeen ? [] : unseenTo(bench, gateway.addresses, way);
        const isMissing = !isSeen && unseen.length === 0;
        return { unseen, problems: isMissing ? [`no ${way} to the gateway was seen on the uplink`] : [] };
      });
      const unseen = onWire.flatMap((one) => one.unseen);
      return {
        problems: [...wrong, ...onWire.flatMap((one) => one.problems)],
        unseen: unseen.filter(
          ({ ipVersion }, index) => unseen.findIndex((one) => one.ipVersion === ipVersion) === index,
        ),
        blind: onWire.every((one) => one.unseen.length > 0) ? ['uplink'] : [],
      };
    },
  };
}

/** The IP versions by which packets may go to some address without being seen. */
function unseenTo(bench: Bench, to: readonly string[], way: Way): Unseen[] {
  const sight = sightOf(bench, ['plain', 'ipv6'], [way]);
  const versions = [...new Set(to.map(ipVersionOf))];
  const hasWayOut = (version: IpVersion) =>
    versions.length === 1 ||
    sight.seen.includes(version) ||
    sight.unseen.some(({ ipVersion }) => ipVersion === version);
  return versions.filter(hasWayOut).flatMap((version) => unseenIn(sight, version) ?? []);
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
      const isSeen = carriesToken(frames, token);
      if (isSeen) problems.push('the packets were seen on the uplink');
      if ((await farSide.heard('inside', token)).length === 0)
        problems.push('nothing has come to the host behind the gateway');
      const sight = sightOf(bench, [family === 'ipv4' ? 'plain' : 'ipv6']);
      return withSight(problems, alsoSeen(sight, isSeen ? [family] : []));
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
      const seen = frames.filter(({ packet }) => packet?.payload.includes(token));
      if (seen.length > 0) problems.push('a look-up was seen on the uplink');
      const versions = seen.flatMap(({ packet }) => (packet ? [ipVersionOf(packet.destination)] : []));
      return withSight(problems, alsoSeen(sightOf(bench, ['dns'], ['DNS']), versions));
    },
  };
}
