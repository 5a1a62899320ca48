import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { controlGroupOf, removeCgroup, unifiedCgroups } from './control-groups.ts';
import {
  eventually,
  exec,
  run,
  runBy,
  startUntil,
  type ExecOptions,
  type ProcessResult,
} from '../runs/process.ts';
import { createLauncher, launcherCommand } from '../runs/launcher.ts';

/**
 * A machine of the laboratory: a network namespace with its own mount namespace, in which /etc and /run/vpnc
 * (vpnc-script's backup) are private, the accounts of the helper's engine and proxy exist, /sys shows this namespace's
 * interfaces, and /sys/fs/cgroup is the host's.
 */
export interface Machine {
  /** The network namespace's name for `ip netns`. */
  readonly namespace: string;
  /** A process of it that stays as long as it does. */
  readonly pid: number;
  /** The path, from outside, of the file that is /etc/resolv.conf inside. */
  readonly resolvConf: string;
  /**
   * The command that runs `argv` inside, for callers that start processes themselves; its pid becomes that of `argv`.
   */
  command(argv: readonly string[], options?: { cwd?: string }): [file: string, args: string[]];
  /** Runs a command inside to its end; an exit status other than 0 is a result, not an error. */
  exec(argv: readonly string[], options?: ExecOptions): Promise<ProcessResult>;
  /** Runs a command inside that must succeed; resolves with its standard output. */
  run(argv: readonly string[], options?: ExecOptions): Promise<string>;
  /** Starts a process inside. `remove` kills those that are left. */
  spawn(argv: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Starts a process inside and resolves when a line of its output matches `ready`. */
  spawnUntil(argv: readonly string[], ready: RegExp, options?: SpawnOptions): Promise<ChildProcess>;
}

export async function createMachine(
  namespace: string,
  directory: string,
  resolvConfText: string,
): Promise<Machine> {
  // The path that `ip netns exec` also uses (ip-netns(8)), so that both ways show the same file.
  const resolvConf = path.join('/etc/netns', namespace, 'resolv.conf');
  const scriptState = path.join(directory, `${namespace}-vpnc`);
  const cgroups = path.join(directory, `${namespace}-cgroup`);
  const etc = path.join(directory, `${namespace}-etc`);
  await Promise.all(
    [path.dirname(resolvConf), scriptState, cgroups, etc].map((made) => mkdir(made, { recursive: true })),
  );
  await writeFile(resolvConf, resolvConfText);
  const files = await writeAccounts(path.join(directory, namespace));
  await run(['ip', 'netns', 'add', namespace]);
  const mounts = [
    // The kernel removes a mount on a file that is replaced, which happens when an account is added.
    `mount -t tmpfs tmpfs ${etc} && mkdir ${etc}/upper ${etc}/work && touch ${etc}/resolv.conf`,
    `mount --bind ${resolvConf} ${etc}/resolv.conf`,
    `mount -t overlay -o lowerdir=/etc,upperdir=${etc}/upper,workdir=${etc}/work overlay /etc`,
    `mount --bind ${etc}/resolv.conf /etc/resolv.conf`,
    ...files.map(({ file, inside }) => `cp ${file} ${inside}`),
    `mkdir -p /run/vpnc && mount --bind ${scriptState} /run/vpnc`,
    `mount --rbind /sys/fs/cgroup ${cgroups} && mount -t sysfs sysfs /sys`,
    `mount --rbind ${cgroups} /sys/fs/cgroup`,
    'ip link set lo up',
  ].join(' && ');
  // Keeps the mount namespace alive, and ends with the process that created the laboratory.
  const holder = await startUntil(
    ['nsenter', `--net=/run/netns/${namespace}`, 'unshare', '--mount', '--propagation', 'private']
      .concat(['setpriv', '--pdeathsig', 'KILL', '--', 'sh', '-c'])
      .concat(`${mounts} && echo ready && exec sleep infinity`),
    /ready/,
  );
  const command = (argv: readonly string[], { cwd = process.cwd() } = {}): [string, string[]] => [
    'nsenter',
    [`--target=${holder.pid}`, '--net', '--mount', `--wdns=${cwd}`, '--', ...argv],
  ];
  const inside = (argv: readonly string[], cwd?: string) => command(argv, { cwd }).flat();
  const commands = path.join(directory, `${namespace}-commands`);
  const launcher = createLauncher(() => {
    const [file, args] = command(['setpriv', '--pdeathsig', 'KILL', '--', ...launcherCommand(commands)]);
    return spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  }, commands);
  // Here from the beginning, so that it belongs to the machine as it was made.
  await launcher.exec(['true']);
  return {
    namespace,
    pid: Number(holder.pid),
    resolvConf,
    command,
    exec: launcher.exec,
    run: (argv, options) => runBy(launcher.exec, argv, options),
    spawn(argv, options = {}) {
      const [file, args] = command(argv, { cwd: options.cwd?.toString() });
      return spawn(file, args, { ...options, cwd: undefined });
    },
    spawnUntil: (argv, ready, options = {}) =>
      startUntil(inside(argv, options.cwd?.toString()), ready, { ...options, cwd: undefined }),
  };
}

/**
 * The accounts that an installed helper's engine and proxy use, and the group of those who may call it; they exist
 * inside, whether or not they do outside. The numbers are from a range that Debian never assigns (Debian policy
 * §9.2.2).
 */
const accounts = { 'waymaker-engine': 64_900, 'waymaker-proxy': 64_901 };
const callers = { waymaker: 64_902 };

async function writeAccounts(prefix: string): Promise<{ file: string; inside: string }[]> {
  const lines = {
    passwd: Object.entries(accounts).map(
      ([user, uid]) => `${user}:x:${uid}:${uid}::/nonexistent:/usr/sbin/nologin`,
    ),
    group: Object.entries({ ...accounts, ...callers }).map(([group, gid]) => `${group}:x:${gid}:`),
  };
  return Promise.all(
    (['passwd', 'group'] as const).map(async (name) => {
      const inside = `/etc/${name}`;
      const others = (await readFile(inside, 'utf8')).trimEnd().split('\n');
      const missing = lines[name].filter(
        (line) => !others.some((other) => other.split(':')[0] === line.split(':')[0]),
      );
      const file = `${prefix}-${name}`;
      const text = [...others, ...missing].join('\n');
      await writeFile(file, `${text}\n`, { mode: 0o644 });
      return { file, inside };
    }),
  );
}

/** Kills every process of a network namespace, then removes it and its resolv.conf. */
export async function removeNamespace(namespace: string): Promise<void> {
  await eventually(`${namespace} is empty`, async () => {
    const { stdout } = await exec(['ip', 'netns', 'pids', namespace]);
    const pids = stdout.split('\n').filter(Boolean).map(Number);
    for (const pid of pids) killIfThere(pid);
    return pids.length === 0 ? true : undefined;
  });
  const groups = path.join(await unifiedCgroups(), controlGroupOf({ namespace }));
  await eventually(`the control groups of ${namespace} are empty`, () => removeCgroup(groups));
  await exec(['ip', 'netns', 'delete', namespace]);
  await rm(path.join('/etc/netns', namespace), { recursive: true, force: true });
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended after it was listed.
  }
}
