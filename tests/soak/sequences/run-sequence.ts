import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually } from '../../lab/runs/process.ts';
import { hosts } from '../../helper/support/is-captured.ts';
import { places, type Ask, type PacketsOutside, type Place } from '../../helper/support/deaths/places.ts';
import { actions } from './actions.ts';
import type { Lane } from './lane.ts';
import type { Run } from './run.ts';
import { belongsInTunnel, isCarried, isTrue, isTunnelUp, wayTo } from './tunnel-model.ts';

/** Of a sequence that did not go as the model says: the steps up to there. */
class SequenceFailed extends Error {
  override name = 'SequenceFailed';
}

/**
 * Random steps of what a user, an administrator and the world can do to a machine. After each the state has to tell the
 * truth and hosts have to be reached the way that the model says; what belonged in the tunnel before and after a step
 * has not left outside it meanwhile. In the end the machine is as before. Resolves to the steps.
 */
export async function runSequence(lane: Lane, seed: number, length: number): Promise<string[]> {
  const steps: string[] = [];
  const run = lane.begin(seed);
  const { places: traffic, model, random } = run;
  try {
    await traffic.packets();
    let since = [captured(run)];
    for (let step = 0; step < length; step += 1) {
      const action = random.pick(actions.filter(({ isPossible }) => isPossible(model)));
      steps.push(action.name);
      await action.act(run);
      steps[step] = `${action.name} → ${JSON.stringify(model)}`;
      await comesTrue(run);
      since.push(captured(run));
      // The capture tells nothing on a link that is down, on which nothing leaves either; it tells all once that is up.
      if (!model.isLinkUp) continue;
      await traffic.send();
      judge(await traffic.packets(), since);
      since = since.slice(-1);
    }
    steps.push('end');
    await lane.end(run);
    return steps;
  } catch (cause) {
    const told = JSON.stringify(run.client.states.at(-1));
    throw new SequenceFailed(`${steps.join('\n')}\ntold: ${told}\n${String(cause)}\n${run.net.log()}`, {
      cause,
    });
  }
}

/** What belongs in the tunnel of what each place sends to the echo, and of its look-ups. */
type Captured = Record<Place, Record<'echo' | 'resolver', boolean>>;
const captured = ({ model }: Run): Captured => {
  const from = (place: Place) => ({
    echo: belongsInTunnel(model, 'echo', place),
    resolver: belongsInTunnel(model, 'resolver', place),
  });
  return { group: from('group'), outside: from('outside') };
};

/** `since`: what belonged in the tunnel before the first of those packets was sent, and after each step since then. */
function judge(packets: PacketsOutside, since: readonly Captured[]): void {
  const { described } = packets;
  for (const place of places)
    for (const host of ['echo', 'resolver'] as const) {
      const count = host === 'echo' ? packets[place] : packets.lookUps[place];
      if (since.every((then) => then[place][host]) && count > 0)
        throw new Error(`left outside the tunnel (${place}, ${host}): ${described.join('; ')}`);
      // The positive control: the same packets are seen where they may be.
      if (since.at(-1)?.[place][host] === false && count === 0)
        throw new Error(`no packet was seen where some may leave (${place}, ${host})`);
    }
  const isAll = since.every(({ group, outside }) => group.echo && outside.echo);
  if (isAll && packets.any > 0) throw new Error(`left outside the tunnel: ${described.join('; ')}`);
}

/** Waits until the machine is as the model says. */
async function comesTrue(run: Run): Promise<void> {
  const { model } = run;
  let wrong: string[] = [];
  await eventually(
    'the state tells the truth, and hosts are reached the way that the model says',
    async () => {
      await signInIfAsked(run);
      const told = run.client.states.at(-1);
      wrong = [];
      if (!isTrue(model, told)) return undefined;
      const expected = expectations(run);
      const seen = await run.places.seen(expected.map(({ ask }) => ask));
      wrong = expected.flatMap(({ ask, sees }, index) =>
        isAmong(seen[index], sees)
          ? []
          : [`${JSON.stringify(ask)}: ${seen[index]} and not ${sees.join(' or ')}`],
      );
      return wrong.length === 0 || undefined;
    },
    { timeout: 100_000, every: 50 },
  ).catch((cause: unknown) => {
    throw new Error([String(cause), ...wrong].join('\n'), { cause });
  });
}

/** A helper that was restarted, or a gateway that forgot the session, asks for another. */
async function signInIfAsked({ net, model, client }: Run): Promise<void> {
  const told = client.states.at(-1);
  if (told?.state !== 'connecting' || told.phase !== 'authenticating' || !isTunnelUp(model)) return;
  // It may have ended meanwhile, and with it the way past the block that one signs in by.
  await net
    .signIn()
    .then((session) => client.call('provideSession', { session }))
    .catch(() => undefined);
}

const families = ['ipv4', 'ipv6'] as const;
const isAmong = (seen: string | undefined, sees: readonly string[]) =>
  seen === undefined ? sees.length === 0 : sees.includes(seen);

interface Expectation {
  ask: Ask;
  /** From which addresses a host may see it come; if there are none, it is not reached. */
  sees: readonly string[];
}

/** Each host from both places and over both IP versions, and by the proxy of mode pac. */
function expectations(run: Run): Expectation[] {
  const { model } = run;
  const direct = hosts.flatMap((host) =>
    places.flatMap((place) =>
      families.map((family): Expectation => {
        const own = host === 'neighbour' ? addresses.userPrivate : addresses.user;
        const sees = { tunnel: [addresses.gateway[family]], direct: [own[family]], nowhere: [] };
        return {
          ask: { place, host: addresses[host][family] },
          sees: sees[wayTo(model, host, place, family)],
        };
      }),
    ),
  );
  return [...direct, ...proxied(run)];
}

function proxied(run: Run): Expectation[] {
  const { model } = run;
  const told = run.client.states.at(-1);
  if (told?.state === 'connected' && told.routing.mode === 'pac')
    run.proxy = told.routing.proxy?.address ?? run.proxy;
  if (run.proxy === undefined) return [];
  const { routing, owner } = model.connection ?? {};
  const lists = routing?.mode === 'pac' && isTunnelUp(model) ? routing : undefined;
  // Only its owner may ask it.
  if (lists && owner !== run.places.uid) return [];
  const ask = (host: string): Ask => ({ place: 'outside', host, proxy: run.proxy });
  const carried = lists ? families.filter((family) => isCarried(model, family)) : [];
  const isRefused = lists?.blockedDomains.includes(names.direct);
  return [
    ...families.map((family) => ({
      ask: ask(addresses.echo[family]),
      sees: carried.includes(family) ? [addresses.gateway[family]] : [],
    })),
    // A name is refused by the list that is in force.
    { ask: ask(names.direct), sees: isRefused ? [] : carried.map((family) => addresses.gateway[family]) },
  ];
}
