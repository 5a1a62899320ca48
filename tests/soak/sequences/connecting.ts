import { ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import { attach } from '../../helper/support/callers/test-client.ts';
import type { Action, Run } from './run.ts';
import { giveUp, isReachable, users, type Connection, type Model } from './tunnel-model.ts';

const deadlineMs = 30 * 24 * 3_600_000;

/** What is asked for next. What is blocked is its owner's alone. */
function nextConnection({ model, random, routings }: Run): Connection {
  const routing = random.pick(routings);
  const [killSwitch, hasDeadline] = [random.below(2) === 1, random.below(2) === 1];
  const owner = model.connection?.owner ?? random.pick(users);
  const deadline = hasDeadline
    ? ({ clockOffsetMs: model.clockOffsetMs + deadlineMs, reason: 'plan-ended' } as const)
    : undefined;
  return { routing, killSwitch, owner, isGivenUp: false, deadline };
}

const requestOf = ({ net }: Run, { routing, killSwitch, deadline }: Connection) =>
  net.request({
    routing,
    killSwitch,
    ...(deadline && { deadline: { at: Date.now() + deadline.clockOffsetMs, reason: deadline.reason } }),
  });

async function establish(run: Run): Promise<void> {
  const { net, sockets, model } = run;
  const next = nextConnection(run);
  using client = await attach(sockets[next.owner] ?? '');
  const request = requestOf(run, next);
  if (model.connection) {
    // While traffic is blocked nobody signs in before the helper carries it, as the app knows.
    await client.call('connect', request);
    // Who goes before that has cancelled it.
    await client.call('provideSession', { session: await net.signIn() });
  } else await client.call('connect', { ...request, session: await net.signIn() });
  model.connection = next;
}

export const connect: Action = {
  name: 'connect',
  isPossible: (model) => model.connection === undefined && isReachable(model),
  act: establish,
};

const isBlocked = ({ connection }: Model) => connection?.isGivenUp === true;

/** What a user can do while traffic is blocked after their connection was given up. */
export const whileBlocked: readonly Action[] = [
  {
    name: 'connect again',
    isPossible: (model) => isBlocked(model) && isReachable(model),
    act: establish,
  },
  {
    name: 'unblock',
    isPossible: isBlocked,
    async act({ sockets, model }) {
      using client = await attach(sockets[model.connection?.owner ?? 0] ?? '');
      await client.call('disconnect', {});
      model.connection = undefined;
    },
  },
  {
    // It counts for the next connection; what is blocked stays so, also with the kill switch off.
    name: 'route while blocked',
    isPossible: isBlocked,
    async act({ client, random, routings }) {
      const change = { routing: random.pick(routings), killSwitch: random.below(2) === 1 };
      const refusal: unknown = await client.call('setRouting', change).catch((error: unknown) => error);
      const isRefused = refusal instanceof ResponseError && refusal.code === helperError.wrongState;
      if (!isRefused) throw new Error(`the answer was ${String(refusal)}`);
    },
  },
  {
    // From then on what was asked for last is blocked.
    name: 'cancel the next sign-in',
    isPossible: isBlocked,
    async act(run) {
      const { sockets, model } = run;
      const next = nextConnection(run);
      using client = await attach(sockets[next.owner] ?? '');
      await client.call('connect', requestOf(run, next));
      await client.call('disconnect', { reason: 'sign-in-cancelled' });
      model.connection = next;
      giveUp(model);
    },
  },
];
