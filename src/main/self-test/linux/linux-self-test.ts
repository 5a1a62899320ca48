import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { insideWord } from '../inside-word.ts';
import type { Ending, Lack, SelfTestSystem } from '../self-test.ts';
import { insideTask, message, type Message } from '../verdict.ts';
import { runInside } from './run-inside.ts';

/**
 * On Linux, a self-test is the first process of a PID namespace, with network and mount namespaces of its own. None of
 * them has a name, so that they and all that is in them are gone with that process, however it ends: the kernel ends it
 * with this one. Only control groups outlive their processes; they are removed at the end, or by the next self-test.
 */
export const linuxSelfTest: SelfTestSystem = {
  lack,
  async run(task, { signal, onMessage }) {
    removeLeftGroups();
    const controlGroup = `${groupPrefix}${process.pid}`;
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
const folders = () => [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin', '/usr/bin', '/bin'];

function lack(): Lack | undefined {
  if (process.getuid?.() !== 0) return { kind: 'not-root' };
  const missing = programs.find(
    (program) => !folders().some((folder) => isProgram(path.join(folder, program))),
  );
  if (missing !== undefined) return { kind: 'no-program', program: missing };
  try {
    // It can be there although the kernel has no such devices.
    closeSync(openSync('/dev/net/tun', 'r+'));
    return undefined;
  } catch (error) {
    return { kind: 'no-tun', detail: error instanceof Error ? error.message : String(error) };
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

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
    apart.concat([process.execPath, ...process.execArgv, process.argv[1] ?? '', insideWord, task]),
    {
      // A Ctrl-C is for this process alone, which then ends that one.
      detached: true,
      env: { ...process.env, PATH: folders().join(':'), UV_THREADPOOL_SIZE: '8' },
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

function messageIn(line: string): Message | undefined {
  try {
    return message.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** The name of a self-test's own control groups: the rest is the number of the process that runs it. */
const groupPrefix = 'waymaker-self-test-';

function groupsFolder(): string | undefined {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(' - cgroup2 '))
    .map((line) => line.split(' ')[4] ?? '')
    .find((folder) => folder !== '');
}

const groupsIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
};

function removeLeftGroups(): void {
  const folder = groupsFolder();
  if (folder === undefined) return;
  for (const name of groupsIn(folder).filter((one) => one.startsWith(groupPrefix))) {
    if (!isRunning(Number(name.slice(groupPrefix.length)))) removeTree(path.join(folder, name));
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Deepest first; false if there are still processes in one. */
function removeTree(group: string): boolean {
  const isEmpty = groupsIn(group).map((name) => removeTree(path.join(group, name)));
  if (isEmpty.includes(false)) return false;
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** Processes that were killed leave their groups a moment later. */
async function removeGroups(name: string): Promise<void> {
  const folder = groupsFolder();
  if (folder === undefined) return;
  for (let tries = 0; tries < 40 && !removeTree(path.join(folder, name)); tries += 1) await delay(50);
}
