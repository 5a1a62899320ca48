import type { ControlClient, UsableServer } from '#shared/control/contract.ts';
import { causeTexts, phaseTexts, problemText, refusalTexts } from '#shared/texts/tunnel-texts.ts';
import { isWithoutHelper, mayBeGone, problemsByWeight, type ConnectRefusal } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import { withTimeout } from '../../with-timeout.ts';
import { withForms } from '../answer-forms.ts';
import { CommandProblem, whenInterrupted, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { isTunnelTo } from './is-tunnel-to.ts';
import { serverCalled } from './server-called.ts';
import { listServers } from './servers.ts';
import { goodbyeLines, noteDamage, reasonLines, stateLines } from './status.ts';

const refusalCodes = {
  'no-server-selected': exitCode.refused,
  'bad-address': exitCode.failed,
  'not-listed': exitCode.refused,
  'not-owner': exitCode.refused,
  'not-signed-in': exitCode.notSignedIn,
  unavailable: exitCode.unavailable,
} as const satisfies Record<ConnectRefusal, ExitCode>;

/** Connects, and waits until it has succeeded or failed, even if the core moves to another process meanwhile. */
export async function connect(context: CommandContext, given: string | undefined): Promise<ExitCode> {
  const first = await Promise.race([context.core(), whenInterrupted(context)]);
  const { server, end: firstEnd } = await withForms(context, first.client, () =>
    begin(context, first, given),
  );
  let end = firstEnd;
  while (end === 'core-gone') {
    // What a core asks is withdrawn once it is gone: the next line may answer the next one.
    const next = await Promise.race([nextCore(context), whenInterrupted(context)]);
    end = await withForms(context, next.client, () => attempt(context, next, { server, isResumed: true }));
  }
  return end;
}

async function begin(
  context: CommandContext,
  connection: ControlConnection,
  given: string | undefined,
): Promise<{ server: UsableServer; end: ExitCode | 'core-gone' }> {
  const { terminal, say } = context;
  const { server, isConnected } = await Promise.race([
    prepare(context, connection, given),
    whenInterrupted(context),
  ]);
  if (isConnected) return { server, end: exitCode.done };
  terminal.note(say('command.connectingTo', { server: server.name }));
  return { server, end: await attempt(context, connection, { server, isResumed: false }) };
}

/** Finds the server; nothing is started yet. */
async function prepare(
  context: CommandContext,
  { client }: ControlConnection,
  given: string | undefined,
): Promise<{ server: UsableServer; isConnected: boolean }> {
  const server = serverCalled(context, await listServers(context), given);
  const before = await stateWithHelper(client);
  if (before.state === 'connected' && isTunnelTo(server, before)) {
    showConnected(context, before, context.say('command.alreadyConnected', { server: server.name }), server);
    return { server, isConnected: true };
  }
  if (before.state === 'invalid' && !mayBeGone(before.cause))
    throw new CommandProblem(exitCode.unavailable, before.cause, stateLines(before, context).join('\n'));
  noteDamage(context, await client.preferences.get());
  await client.server.choose(server.serverId);
  return { server, isConnected: false };
}

/** The process that runs the core after the previous one, because the desktop app has started or quit. */
async function nextCore(context: CommandContext): Promise<ControlConnection> {
  const { terminal, say } = context;
  const connection = await context.core();
  // The sign-in was in the memory of the previous process.
  if (!(await connection.client.session.get()).signedIn)
    throw new CommandProblem(exitCode.notSignedIn, 'sign-in-lost', say('command.signInLost'));
  terminal.note(say('command.coreMoved'));
  return connection;
}

interface Attempt {
  server: UsableServer;
  /** Started with another core; the helper may have continued it. */
  isResumed: boolean;
}

/** Asks the core to connect, and says how that ended. */
async function attempt(
  context: CommandContext,
  connection: ControlConnection,
  wanted: Attempt,
): Promise<ExitCode | 'core-gone'> {
  const end = await attemptEnd(context, connection, wanted);
  if (end === 'core-gone') return end;
  if (end === 'interrupted') {
    await connection.client.tunnel.disconnect();
    throw new CommandProblem(exitCode.interrupted, 'interrupted', context.say('command.interrupted'));
  }
  return finish(context, end, wanted.server);
}

async function attemptEnd(context: CommandContext, connection: ControlConnection, wanted: Attempt) {
  try {
    return await followAttempt(context, connection, wanted);
  } catch (error) {
    if (await isGone(connection)) return 'core-gone';
    throw error;
  }
}

/** A request that was cut off is rejected just before the connection counts as closed. */
const isGone = ({ closed }: ControlConnection): Promise<boolean> =>
  withTimeout(
    closed.then(() => true),
    100,
    false,
  );

/** Within this time, the core finds a helper that has just been started. */
const helperMs = 2500;

/** The state, once there is a helper or the wait is over. */
async function stateWithHelper(client: ControlClient): Promise<TunnelState> {
  const { promise, resolve } = Promise.withResolvers<TunnelState>();
  const unsubscribe = client.tunnel.stateChanged((state) => {
    if (!isWithoutHelper(state)) resolve(state);
  });
  const now = await client.tunnel.snapshot();
  const state = isWithoutHelper(now) ? await withTimeout(promise, helperMs, now) : now;
  unsubscribe();
  return state;
}

type AttemptEnd = Extract<TunnelState, { state: 'connected' | 'disconnected' | 'invalid' }>;

/** Resolves with the outcome of the attempt, or as soon as the user interrupts it or the core ends. */
async function followAttempt(
  { terminal, say, interrupted }: CommandContext,
  { client, closed }: ControlConnection,
  { server, isResumed }: Attempt,
): Promise<AttemptEnd | 'interrupted' | 'core-gone'> {
  const { promise, resolve } = Promise.withResolvers<AttemptEnd | 'interrupted' | 'core-gone'>();
  const stop = () => resolve('interrupted');
  let isBegun = false;
  let shown = '';
  const follow = (state: TunnelState) => {
    if (state.state === 'connecting') {
      isBegun = true;
      const line = say(phaseTexts[state.phase]);
      if (line !== shown) terminal.note((shown = line));
    } else if (isBegun && state.state !== 'disconnecting') resolve(state);
  };
  if (interrupted.aborted) return 'interrupted';
  interrupted.addEventListener('abort', stop);
  void closed.then(() => resolve('core-gone'));
  const unsubscribe = client.tunnel.stateChanged(follow);
  try {
    const now = isResumed ? await client.tunnel.snapshot() : undefined;
    if (!now || !isTunnelTo(server, now)) {
      const reply = await client.tunnel.connect({ address: server.address, serverId: server.serverId });
      if (!reply.ok) {
        const { title, text } = refusalTexts[reply.error];
        const lines = [say(title), ...(text === undefined ? [] : [say(text)])];
        throw new CommandProblem(refusalCodes[reply.error], reply.error, lines.join('\n'));
      }
    }
    isBegun = true;
    follow(await client.tunnel.snapshot());
    return await promise;
  } finally {
    unsubscribe();
    interrupted.removeEventListener('abort', stop);
  }
}

function finish(context: CommandContext, state: AttemptEnd, server: UsableServer): ExitCode {
  const { say } = context;
  switch (state.state) {
    case 'connected':
      showConnected(context, state, say('command.connectedTo', { server: server.name }), server);
      return exitCode.done;
    case 'disconnected': {
      const lines = [
        ...reasonLines(state, context),
        ...(state.blocked ? [say('connect.blockedText')] : []),
        ...goodbyeLines(state, context),
      ];
      throw new CommandProblem(
        exitCode.notConnected,
        state.reason ?? 'disconnected',
        lines.length > 0 ? lines.join('\n') : say('connect.disconnected'),
      );
    }
    case 'invalid': {
      const { title, text } = causeTexts[state.cause];
      throw new CommandProblem(exitCode.unavailable, state.cause, `${say(title)}\n${say(text)}`);
    }
    default:
      return state satisfies never;
  }
}

function showConnected(
  { terminal, say, isJson }: CommandContext,
  tunnel: TunnelState,
  line: string,
  { serverId, name }: UsableServer,
): void {
  if (isJson) terminal.out(JSON.stringify({ tunnel, server: { serverId, name } }));
  else terminal.out(line);
  for (const problem of problemsByWeight(tunnel)) terminal.note(say(problemText(problem).title));
}

export async function disconnect(context: CommandContext): Promise<ExitCode> {
  const { terminal, say } = context;
  const { client } = await context.core();
  await client.tunnel.disconnect();
  const tunnel = await client.tunnel.snapshot();
  if (tunnel.ownedByOther) {
    const { title, text } = refusalTexts['not-owner'];
    throw new CommandProblem(exitCode.refused, 'not-owner', `${say(title)}\n${text ? say(text) : ''}`);
  }
  if (tunnel.state === 'invalid')
    throw new CommandProblem(exitCode.unavailable, tunnel.cause, stateLines(tunnel, context).join('\n'));
  if (context.isJson) terminal.out(JSON.stringify({ tunnel }));
  else terminal.out(say('connect.disconnected'));
  return exitCode.done;
}
