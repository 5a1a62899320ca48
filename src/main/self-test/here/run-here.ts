import { connect } from 'node:net';
import path from 'node:path';
import { addresses } from '../addresses.ts';
import { createPeer, PeerProblem, type Peer } from '../far-side/peer.ts';
import type { Answer } from '../far-side/questions.ts';
import { startHelper } from '../product/children.ts';
import { runWithProduct } from '../product/run-with-product.ts';
import type { Ending, SelfTestHere } from '../self-test.ts';
import { orStop, Stopped } from '../stopped.ts';
import type { Engine } from '../verdict.ts';
import type { Message } from '../messages.ts';
import { environment, leftTask, prepareFolder } from './folder.ts';
import { startGuard, undo, type GuardTask } from './guard.ts';
import { serveFromChild } from './served-child.ts';
import { surroundingsOf } from './surroundings-here.ts';

export interface HereTask {
  /** Paths of the helper's program and of the command line's. */
  helper: string;
  commandLine: string;
  version: string;
  /** Only this one; without it, all that are installed. */
  engine?: Engine;
  /** The computer that serves, and the code that it shows; without it, this one serves itself. */
  against?: { host: string; code: string };
  /** Where the installed helper listens: there must be none. */
  usualSocket: string;
}

/** How long all of it may take, in milliseconds: what is left then is not checked. */
const limitMs = 105_000;
interface Told {
  signal: AbortSignal;
  onMessage: (message: Message) => void;
}

/**
 * A self-test on this computer's own network. Whatever happens, the network is put back before this resolves; if this
 * process is killed, by a guard.
 */
export async function runHere(task: HereTask, here: SelfTestHere, told: Told): Promise<Ending> {
  const { signal, onMessage } = told;
  if (signal.aborted) return { kind: 'interrupted' };
  const logs: Logs = { helperLog: [], coreLog: [], facts: {} };
  const closing: (() => Promise<void> | void)[] = [];
  const onClose = (close: () => Promise<void> | void) => void closing.push(close);
  const interrupted = Promise.withResolvers<void>();
  const interrupt = () => interrupted.resolve();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    await Promise.race([run(task, here, { signal, onMessage, onClose, logs }), interrupted.promise]);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    onMessage({
      kind: 'obstacle',
      obstacle: error instanceof Stopped ? error.obstacle : 'broken',
      detail,
    });
  }
  for (const close of closing.toReversed()) {
    try {
      await close();
    } catch (error) {
      onMessage({ kind: 'obstacle', obstacle: 'broken', detail: String(error) });
    }
  }
  onMessage({ kind: 'end', ...logs });
  return signal.aborted ? { kind: 'interrupted' } : { kind: 'done' };
}

interface Logs {
  helperLog: string[];
  coreLog: string[];
  facts: Record<string, string>;
}

interface Run {
  signal: AbortSignal;
  onMessage: (message: Message) => void;
  onClose: (close: () => Promise<void> | void) => void;
  logs: Logs;
}

async function run(
  task: HereTask,
  here: SelfTestHere,
  { signal, onMessage, onClose, logs }: Run,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  if (await isAnswered(task.usualSocket)) throw new Stopped('helper-runs', task.usualSocket);

  // Before anything is asked: it may still be blocked.
  await orStop('not-restored', () => undoLeft(task, here));
  let isInside = () => false;
  const against = task.against ?? (await selfServed(here, onClose));
  const peer = createPeer({ ...against, isInside: () => isInside() });
  const begun = await begin(peer);
  onClose(async () => void (await peer.ask({ ask: 'end' }).catch(() => undefined)));
  const reached = peer.addresses;
  if (!reached) throw new Stopped('broken', 'the far side has no address');
  const uplink = await orStop('no-uplink', () => here.uplinkTo(reached.peer));
  const around = surroundingsOf({ here, uplink, peer, begun, facts: logs.facts });
  onClose(() => around.watch?.close());

  const { folder } = here;
  const helperArguments = (engine: Engine) =>
    ['--socket', here.helperSocket(folder), '--state-dir', path.join(folder, 'state')].concat(
      here.helperArguments(engine),
    );
  const guardTask: GuardTask = {
    folder,
    restore: [task.helper, '--restore', ...helperArguments('own')],
    uplink,
    routes: [...around.hostileRoutes],
    addresses: Object.values(addresses.tunnel),
  };
  prepareFolder(folder, begun.authority, guardTask);
  const guard = startGuard(guardTask);
  onClose(async () => {
    await orStop('not-restored', () => expectRestored(guardTask, here));
    await here.tidy();
    guard.release();
  });
  onMessage({ kind: 'ready' });

  const env = environment(here, folder, reached.peer);
  await runWithProduct({
    around,
    account: begun,
    commandLine: task.commandLine,
    profile: path.join(folder, 'profile'),
    version: task.version,
    env,
    engines: task.engine === undefined ? here.engines() : [task.engine],
    startHelper: (engine) =>
      startHelper({ program: task.helper, args: helperArguments(engine), env, lines: logs.helperLog }),
    onStart({ child }) {
      if (child.pid !== undefined) guard.knows(child.pid);
      // What was only now there was not ended with the others.
      if (signal.aborted) child.kill('SIGKILL');
    },
    onState: (state) => (isInside = () => state().state === 'connected'),
    coreLog: logs.coreLog,
    deadline,
    tell: onMessage,
    onClose,
  });
}

async function selfServed(here: SelfTestHere, onClose: Run['onClose']) {
  const { address } = await orStop('no-uplink', () => here.uplinkTo('192.0.2.1'));
  const served = await orStop('not-served', () => serveFromChild(address));
  onClose(() => served.close());
  return { host: address, code: served.code };
}

async function begin(peer: Peer): Promise<Answer<'begin'>> {
  try {
    return await peer.ask({ ask: 'begin' });
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error;
    const { failure } = error;
    switch (failure.kind) {
      case 'wrong-code':
        throw new Stopped('wrong-code', '');
      case 'unreachable':
        throw new Stopped('no-peer', failure.detail);
      case 'refused':
        throw new Stopped('not-served', failure.detail);
      default:
        throw failure satisfies never;
    }
  }
}

/** What an earlier self-test has left, for example when the power was cut. */
function undoLeft({ helper }: HereTask, here: SelfTestHere): void {
  // What is to be undone is done with all rights, and has to be our own.
  here.keepOthersOut?.();
  const left = leftTask(here.folder);
  // Its helper's program may be an older one, or gone.
  const restore = left && [helper, ...left.restore.slice(1)];
  if (restore) expectRestored({ ...left, folder: here.folder, restore }, here);
}

function expectRestored(task: GuardTask, here: SelfTestHere): void {
  const { isRestored, output } = undo(task, here);
  if (!isRestored) throw new Error(output.trim().split('\n').at(-1) ?? '');
}

function isAnswered(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}
