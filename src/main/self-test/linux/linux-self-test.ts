import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseJson } from '#shared/parse-json.ts';
import { innerWords } from '../inner-words.ts';
import type { Ending, SelfTestApart } from '../self-test.ts';
import { insideTask, message, type Message } from '../messages.ts';
import { ownGroup, removeGroups, removeLeftGroups } from './left-groups.ts';
import { lackOf, programFolders } from './needs.ts';
import { runInside } from './run-inside.ts';

/**
 * On Linux, a self-test is the first process of a PID namespace, with network and mount namespaces of its own. None of
 * them has a name, so that they and all that is in them are gone with that process, however it ends: the kernel ends it
 * with this one. Only control groups outlive their processes; they are removed at the end, or by the next self-test.
 */
export const linuxSelfTest: SelfTestApart = {
  lack: () => lackOf(programs),
  async run(task, { signal, onMessage }) {
    removeLeftGroups();
    const controlGroup = ownGroup();
    try {
      return await runApart(JSON.stringify({ ...task, controlGroup }), signal, onMessage);
    } finally {
      await removeGroups(controlGroup);
    }
  },
  async inside(task) {
    const given = insideTask.parse(JSON.parse(task));
    const tell = (told: Message) => void process.stdout.write(`${JSON.stringify(told)}\n`);
    await runInside(given, tell);
    // What it has been told has to be written first.
    process.stdout.write('', () => process.exit(0));
  },
};

/** util-linux's, iproute2's and nftables' programs: what a self-test and the helper run. */
const programs = ['unshare', 'setpriv', 'mount', 'ip', 'nft'];

/** Arguments of setpriv(1) and unshare(1): if this process is killed, nothing of it stays. */
const apart =
  '--pdeathsig KILL -- unshare --net --mount --propagation private --pid --fork --kill-child --mount-proc --'.split(
    ' ',
  );

/** Of what went wrong, the last lines are enough. */
const maxOutput = 4_000;

async function runApart(
  task: string,
  signal: AbortSignal,
  onMessage: (told: Message) => void,
): Promise<Ending> {
  if (signal.aborted) return { kind: 'interrupted' };
  const child = spawn(
    'setpriv',
    apart.concat([process.execPath, ...process.execArgv, process.argv[1] ?? '', innerWords.inside, task]),
    {
      // A Ctrl-C is for this process alone, which then ends that one.
      detached: true,
      env: { ...process.env, PATH: programFolders().join(':'), UV_THREADPOOL_SIZE: '8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  let isDone = false;
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-maxOutput)));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const told = messageIn(line);
    if (!told) return;
    isDone ||= told.kind === 'end';
    onMessage(told);
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  try {
    const closed = once(child, 'close');
    if (signal.aborted) stop();
    await closed;
  } catch (error) {
    return { kind: 'died', output: error instanceof Error ? error.message : String(error) };
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (signal.aborted) return { kind: 'interrupted' };
  return isDone ? { kind: 'done' } : { kind: 'died', output: output.trim() };
}

const messageIn = (line: string): Message | undefined => message.safeParse(parseJson(line)).data;
