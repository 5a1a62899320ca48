import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ports } from '../addresses.ts';
import type { IpVersion, Unseen } from '../verdict.ts';
import { newToken, type Bench } from './bench.ts';
import { askByTcp, ipVersionOf } from './probes.ts';
import { alsoSeen, notSeen, sightOf, unseenIn, type Found } from './sight.ts';

const answerMs = 5_000;
/** How long somebody is asked who must not answer, in milliseconds. */
const silenceMs = 700;

/** By which way hosts are reached: `undefined` for those that must not be. */
export interface Expected {
  host: string;
  /** That of ordinary hosts, if it is not named. */
  port?: number;
  place: 'inside' | 'outside' | undefined;
}

/** By which ways hosts were reached, and how much of that was seen. */
export interface Ways {
  problems: readonly string[];
  /** The IP versions that were looked for on the uplink. */
  looked: readonly IpVersion[];
  /** Those of which something was seen there. */
  sighted: readonly IpVersion[];
  /** Those of which only a sight there shows that packets go outside. */
  needed: readonly IpVersion[];
  /** What could not be seen of something else than these hosts. */
  unseen: readonly Unseen[];
}

/**
 * Asks each host, and says which was reached by another way than expected; nothing that belongs inside is in clear. An
 * answer tells where it was given, and a packet on the uplink where it goes; that none was seen there tells nothing
 * unless a control was.
 */
export async function waysOf(
  bench: Bench,
  expected: readonly Expected[],
  ask?: (host: string, token: string) => Promise<string | undefined>,
): Promise<Ways> {
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
  const needsSight = (one: Expected) => one.place === 'outside' && answerOf(one) === undefined;
  const isSeen = (one: Expected, index: number) => {
    const { host, port = ports.http } = one;
    const token = tokens[index] ?? '';
    return frames.some(({ packet }) =>
      // A connection that nobody accepts has not carried its text.
      needsSight(one)
        ? packet?.destination === host && packet.destinationPort === port
        : packet?.payload.includes(token) === true,
    );
  };
  const { seen } = tcpSight(bench);
  const versionsOf = (of: readonly Expected[]) => of.map(({ host }) => ipVersionOf(host));
  const sighted = versionsOf(expected.filter(isSeen));
  const canBeSeen = (version: IpVersion) => seen.includes(version) || sighted.includes(version);
  const problems = expected.flatMap((one, index) => {
    const { host, place } = one;
    const reached = places[index];
    const hasLeft = isSeen(one, index);
    const isShown = hasLeft || canBeSeen(ipVersionOf(host));
    return [
      ...(isDeepStrictEqual(reached, answerOf(one))
        ? []
        : [`${host} was reached ${reached ?? 'by no way'} instead of ${place ?? 'by no way'}`]),
      ...(isShown && hasLeft !== (place === 'outside')
        ? [`packets to ${host} were ${hasLeft ? '' : 'not '}seen on the uplink`]
        : []),
    ];
  });
  return {
    problems,
    looked: versionsOf(expected),
    sighted,
    needed: versionsOf(expected.filter(needsSight)),
    unseen: [],
  };
}

const tcpSight = (bench: Bench) => sightOf(bench, ['plain', 'ipv6'], ['TCP']);

/**
 * What several ways are together. Throws `NotChecked` if only a sight could show that packets go outside, and there was
 * none by any IP version.
 */
export function foundBy(bench: Bench, all: readonly Ways[]): Found {
  const sight = alsoSeen(
    tcpSight(bench),
    all.flatMap(({ sighted }) => sighted),
  );
  const looked = new Set(all.flatMap((one) => one.looked));
  const problems = all.flatMap((one) => one.problems);
  const unseen = [...looked].flatMap((version) => unseenIn(sight, version) ?? []);
  const needed = all.flatMap((one) => one.needed);
  if (problems.length === 0 && needed.length > 0 && !needed.some((version) => sight.seen.includes(version)))
    throw notSeen(unseen);
  const more = all
    .flatMap((one) => one.unseen)
    .filter(({ ipVersion }) => !unseen.some((one) => one.ipVersion === ipVersion));
  return {
    problems,
    unseen: [...unseen, ...more],
    blind: [...looked].some((version) => sight.seen.includes(version)) ? [] : ['uplink'],
  };
}
