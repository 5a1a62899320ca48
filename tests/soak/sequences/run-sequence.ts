import { setTimeout as delay } from 'node:timers/promises';
import { addresses } from '../../lab/addresses.ts';
import { eventually } from '../../lab/process.ts';
import { waitLimit } from '../../lab/wait-limit.ts';
import { hosts } from '../../helper/support/is-captured.ts';
import { places, type Ask, type PacketsOutside } from '../../helper/support/places.ts';
import { actions, type Run } from './actions.ts';
import type { Lane } from './lane.ts';
import { belongsInTunnel, isTrue, isTunnelUp, wayTo } from './tunnel-model.ts';

/** Of a sequence that did not go as the model says: the steps up to there. */
export class SequenceFailed extends Error {
  override name = 'SequenceFailed';
}

/**
 * Random steps of what a user, an administrator and the world can do to a machine. After each the state has to tell the
 * truth and hosts have to be reached the way that the model says; what belonged in the tunnel before and after a step has
 * not left outside it meanwhile. In the end the machine is as before. Resolves to the steps.
 */
export async function runSequence(lane: Lane, seed: number, length: number): Promise<string[]> {
  const steps: string[] = [];
  const run = lane.begin(seed);
  const { places: traffic, model, random } = run;
  try {
    for (let step = 0; step < length; step += 1) {
      const action = random.pick(actions.filter(({ isPossible }) => isPossible(model)));
      steps.push(action.name);
      const before = captured(run);
      const act = async () => {
        await action.act(run);
        steps[step] = `${action.name} → ${JSON.stringify(model)}`;
      };
      // Nothing is captured, and nothing leaves, on a link that is down.
      const isWhole = model.isLinkUp && action.name !== 'link down';
      if (!isWhole) await act();
      if (!model.isLinkUp) {
        await comesTrue(run);
        continue;
      }
      const packets = await traffic.packetsWhile(async () => {
        if (isWhole) await act();
        await comesTrue(run);
        // On a busy machine who sends may not have had its turn yet.
        await delay(waitLimit(50));
      });
      judge(packets, before, captured(run));
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

type Captured = Record<(typeof places)[number], boolean>;
const captured = ({ model }: Run): Captured => ({
  group: belongsInTunnel(model, 'echo', 'group'),
  outside: belongsInTunnel(model, 'echo', 'outside'),
});

function judge(packets: PacketsOutside, before: Captured, after: Captured): void {
  for (const place of places) {
    if (before[place] && after[place] && packets[place] > 0)
      throw new Error(`${packets[place]} packets left outside the tunnel (${place})`);
    // The positive control: the same packets are seen where they may be.
    if (!before[place] && !after[place] && packets[place] === 0)
      throw new Error(`no packet was seen where some may leave (${place})`);
  }
  const isAll = places.every((place) => before[place] && after[place]);
  if (isAll && packets.any > 0) throw new Error(`left outside the tunnel: ${packets.described.join('; ')}`);
}

/** Waits until the machine is as the model says. */
async function comesTrue(run: Run): Promise<void> {
  const { net, model } = run;
  await eventually(
    'the state tells the truth',
    async () => {
      const told = run.client.states.at(-1);
      // A helper that was restarted, or a gateway that forgot the session, asks for another.
      if (told?.state === 'connecting' && told.phase === 'authenticating' && isTunnelUp(model))
        // It may have ended meanwhile, and with it the way past the block that one signs in by.
        await net
          .signIn()
          .then((session) => run.client.call('provideSession', { session }))
          .catch(() => undefined);
      return isTrue(model, told) || undefined;
    },
    { timeout: 100_000 },
  );
  const expected = expectations(run);
  let last = '';
  await eventually(
    'hosts are reached the way that the model says',
    async () => {
      const seen = await run.places.seen(expected.map(({ ask }) => ask));
      const wrong = expected.flatMap(({ ask, sees }, index) =>
        seen[index] === sees ? [] : [`${JSON.stringify(ask)}: ${seen[index]} and not ${sees}`],
      );
      last = wrong.join('\n');
      return wrong.length === 0 || undefined;
    },
    { timeout: waitLimit(20_000), every: 200 },
  ).catch((cause: unknown) => {
    throw new Error(last, { cause });
  });
}

/** Each host from both places and over both IP versions, and by the proxy of mode pac. */
function expectations(run: Run): { ask: Ask; sees: string | undefined }[] {
  const { model } = run;
  const told = run.client.states.at(-1);
  if (told?.state === 'connected' && told.routing.mode === 'pac')
    run.proxy = told.routing.proxy?.address ?? run.proxy;
  const byProxy = (): { ask: Ask; sees: string | undefined }[] => {
    if (run.proxy === undefined) return [];
    // Only its owner may ask it.
    const isThere = model.connection?.routing.mode === 'pac' && isTunnelUp(model);
    if (isThere && model.connection?.owner !== run.places.uid) return [];
    const ask = { place: 'outside', host: addresses.echo.ipv4, proxy: run.proxy } as const;
    return [{ ask, sees: isThere ? addresses.gateway.ipv4 : undefined }];
  };
  const direct = hosts.flatMap((host) =>
    places.flatMap((place) =>
      (['ipv4', 'ipv6'] as const).map((family) => {
        const own = host === 'neighbour' ? addresses.userPrivate : addresses.user;
        const sees = { tunnel: addresses.gateway[family], direct: own[family], nowhere: undefined };
        return { ask: { place, host: addresses[host][family] }, sees: sees[wayTo(model, host, place)] };
      }),
    ),
  );
  return [...direct, ...byProxy()];
}
