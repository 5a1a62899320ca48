import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { removeCgroup, unifiedCgroups } from './control-groups.ts';
import type { Machine } from './machine.ts';
import {
  endProcess,
  eventually,
  exec,
  run,
  words,
  type ExecOptions,
  type ProcessResult,
} from '../runs/process.ts';

/** A machine of the laboratory with systemd as process 1. Disposing ends it and everything that runs under it. */
export interface SystemdMachine extends AsyncDisposable {
  /** Runs a command inside to its end; a status other than 0 is a result, not an error. */
  exec(argv: readonly string[], options?: ExecOptions): Promise<ProcessResult>;
  /** Runs a command inside that must succeed; resolves to its standard output. */
  run(argv: readonly string[], options?: ExecOptions): Promise<string>;
  /** Where a file of it is found from outside. */
  file(inside: string): string;
  /** Shuts it down as its user would, and resolves once nothing of it runs. */
  powerOff(): Promise<void>;
}

const script = path.join(import.meta.dirname, 'boot-systemd.sh');

/**
 * Boots systemd in the machine's network. `tree` is a directory whose `etc`, `usr` and `opt` are laid over those of
 * `base`, which is the real system unless it is another one's root; of units, only those in the tree's
 * `etc/systemd/system` are enabled. `directory` is for what belongs to it. What it writes is gone with it, unless
 * `disk` is given: a folder, in which the next boot finds it.
 */
export async function bootSystemd(
  machine: Machine,
  directory: string,
  tree: string,
  base = '/',
  disk?: string,
): Promise<SystemdMachine> {
  const files = path.join(directory, 'systemd');
  const cgroup = path.join(await unifiedCgroups(), `waymaker-lab-${path.basename(directory)}`);
  await mkdir(files, { recursive: true });
  await mkdir(cgroup);
  const places = [files, tree, base, ...(disk === undefined ? [] : [disk])].join(' ');
  const namespaces = '--mount --propagation private --pid --fork --kill-child --uts --ipc --cgroup';
  const child = machine.spawn(
    ['sh', '-c', `echo $$ > ${cgroup}/cgroup.procs && exec unshare ${namespaces} sh ${script} ${places}`],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const first = await firstProcess(child);
  const enter = words(`nsenter --target=${first} --mount --net --pid --uts --ipc --cgroup --wdns=/ --`);
  const inside = (argv: readonly string[]) => [...enter, ...argv];
  const clearUp = () => eventually('the cgroups are empty', () => removeCgroup(cgroup));
  const booted: SystemdMachine = {
    exec: (argv, options) => exec(inside(argv), options),
    run: (argv, options) => run(inside(argv), options),
    file: (name) => path.join(`/proc/${first}/root`, name),
    async powerOff() {
      const isOff = once(child, 'exit');
      // Of this namespace, process 1 ends; the command may be ended before it has its answer.
      await booted.exec(words('systemctl poweroff'));
      await isOff;
      await clearUp();
    },
    async [Symbol.asyncDispose]() {
      await endProcess(child, 'SIGKILL');
      await clearUp();
    },
  };
  async function isUp(): Promise<true | undefined> {
    const { stdout } = await booted.exec(['systemctl', 'is-system-running']);
    return ['running', 'degraded'].includes(stdout.trim()) || undefined;
  }
  // Seldom: it takes seconds, and each look is a program that it starts.
  await eventually('systemd is up', isUp, { every: 200, timeout: 60_000 });
  return booted;
}

/** What `unshare --fork` has started: process 1 of the new namespace. */
async function firstProcess(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`systemd was not started: ${String(code)}`);
  });
  ended.catch(() => {});
  const found = eventually('process 1', async () => {
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    return Number(children.trim().split(' ')[0]) || undefined;
  });
  return Promise.race([found, ended]);
}
