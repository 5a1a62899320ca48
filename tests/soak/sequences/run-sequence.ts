import { addresses } from '../../lab/addresses.ts';
import { eventually } from '../../lab/process.ts';
import { waitLimit } from '../../lab/wait-limit.ts';
import { createHelperLab } from '../../helper/support/helper-lab.ts';
import { packetsWhile, seenBy } from '../../helper/support/seen-by.ts';
import { actions, startHelper, type Run } from './actions.ts';
import { createRandom } from './random.ts';
import {
  belongsInTunnel,
  hosts,
  initialModel,
  isTrue,
  isTunnelUp,
  routingsOf,
  wayTo,
} from './tunnel-model.ts';

/** Of a sequence that did not go as the model says: the steps up to there. */
export class SequenceFailed extends Error {
  override name = 'SequenceFailed';
}

/**
 * Random steps of what a user, an administrator and the world can do to a machine. After each the state has to tell the
 * truth and hosts have to be reached the way that the model says; what belonged in the tunnel before and after a step has
 * not left outside it meanwhile. In the end the machine is as before. Resolves to the steps.
 */
export async function runSequence(seed: number, length: number): Promise<string[]> {
  const random = createRandom(seed);
  const steps: string[] = [];
  await using net = await createHelperLab();
  await startHelper(net);
  const client = await net.attach();
  const { capabilities } = client;
  const run: Run = { net, client, model: initialModel(), random, routings: routingsOf(capabilities) };
  try {
    for (let step = 0; step < length; step += 1) {
      const action = random.pick(actions.filter(({ isPossible }) => isPossible(run.model)));
      steps.push(action.name);
      const wasInside = belongsInTunnel(run.model, 'echo');
      const act = async () => {
        await action.act(run);
        steps[step] = `${action.name} → ${JSON.stringify(run.model)}`;
      };
      // Nothing is captured, and nothing leaves, on a link that is down.
      const isWhole = run.model.isLinkUp && action.name !== 'link down';
      if (!isWhole) await act();
      if (!run.model.isLinkUp) {
        await comesTrue(run);
        continue;
      }
      const packets = await packetsWhile(net, async () => {
        if (isWhole) await act();
        await comesTrue(run);
      });
      const isInside = belongsInTunnel(run.model, 'echo');
      if (wasInside && isInside && packets.echo + packets.echoIpv6 > 0)
        throw new Error(`${packets.echo + packets.echoIpv6} packets left outside the tunnel`);
      // The positive control: the same packets are seen where they may be.
      if (!wasInside && !isInside && packets.echo === 0)
        throw new Error('no packet was seen where some may leave');
    }
    await run.client.call('disconnect', {});
    return steps;
  } catch (cause) {
    const told = JSON.stringify(run.client.states.at(-1));
    throw new SequenceFailed(`${steps.join('\n')}\ntold: ${told}\n${String(cause)}\n${net.log()}`, { cause });
  }
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
        await run.client.call('provideSession', { session: await net.signIn() }).catch(() => undefined);
      return isTrue(model, told) || undefined;
    },
    { timeout: 60_000 },
  );
  for (const host of hosts) {
    const [own, far] = host === 'neighbour' ? ['userPrivate', 'gateway'] : ['user', 'gateway'];
    const expected = {
      tunnel: addresses[far as 'gateway'].ipv4,
      direct: addresses[own as 'user'].ipv4,
      nowhere: undefined,
    }[wayTo(model, host)];
    await eventually(
      `${host} sees ${expected}`,
      async () => ((await seenBy(net, addresses[host].ipv4)) === expected ? true : undefined),
      { timeout: waitLimit(20_000) },
    );
  }
}
