import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addresses } from '../addresses.ts';
import { places } from './places.ts';
import { bindFolder } from './bind-folder.ts';

/**
 * Gives this process, and all that it starts, folders of their own for what belongs to the computer or to others: /run,
 * where services are reached, /etc, and the kernel's view of devices. It has to be in a mount namespace of its own; the
 * mounts are gone with its last process. Throws if the system refuses.
 */
export function makePrivateSystem(programs: readonly string[]): void {
  // Programs of some systems are there.
  const kept = ['/run/current-system', '/run/wrappers', '/run/booted-system', '/run/host']
    .concat(programs.map((program) => path.dirname(program)).filter((folder) => folder.startsWith('/run/')))
    .filter((folder) => existsSync(folder));
  const opened = kept.map((folder) => ({ folder, descriptor: openSync(folder, 'r') }));
  const groups = existsSync('/sys/fs/cgroup') ? openSync('/sys/fs/cgroup', 'r') : undefined;

  mount('-t', 'tmpfs', '-o', 'mode=755,size=128m', 'tmpfs', '/run');
  for (const folder of [
    places.folder,
    places.home,
    places.temporary,
    places.profile,
    '/run/lock',
    '/run/waymaker',
  ])
    mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const { folder, descriptor } of opened) {
    mkdirSync(folder, { recursive: true });
    bindFolder(descriptor, folder);
    closeSync(descriptor);
  }

  const [upper, work] = [`${places.folder}/etc`, `${places.folder}/etc-work`];
  for (const folder of [upper, work]) mkdirSync(folder, { mode: 0o755 });
  mount('-t', 'overlay', '-o', `lowerdir=/etc,upperdir=${upper},workdir=${work}`, 'overlay', '/etc');
  replace('/etc/resolv.conf', `nameserver ${addresses.resolver.ipv4}\noptions timeout:1 attempts:2\n`);
  replace('/etc/hosts', '127.0.0.1 localhost\n::1 localhost\n');
  // Names and accounts are looked up here, and nowhere else.
  replace('/etc/nsswitch.conf', 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n');
  addAccounts();

  mount('-t', 'sysfs', 'sysfs', '/sys');
  if (groups !== undefined) {
    bindFolder(groups, '/sys/fs/cgroup');
    closeSync(groups);
  }
}

function mount(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount ${args.at(-1) ?? ''}: ${error?.message ?? stderr.trim()}`);
}

/** It may be a link to where nothing is any more. */
function replace(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o644 });
}

/** From a range that distributions do not assign (Debian policy §9.2.2); only where no package has made them. */
const accounts = { 'waymaker-engine': 64_900, 'waymaker-proxy': 64_901 } as const;
const callers = { waymaker: 64_902 } as const;

function addAccounts(): void {
  const add = (file: string, lines: readonly (readonly [name: string, line: string])[]) => {
    const text = readFileSync(file, 'utf8');
    const names = new Set(text.split('\n').map((line) => line.split(':')[0]));
    const missing = lines.filter(([name]) => !names.has(name)).map(([, line]) => `${line}\n`);
    if (missing.length > 0) replace(file, `${text.trimEnd()}\n${missing.join('')}`);
  };
  add(
    '/etc/passwd',
    Object.entries(accounts).map(([name, id]) => [
      name,
      `${name}:x:${id}:${id}::/nonexistent:/usr/sbin/nologin`,
    ]),
  );
  add(
    '/etc/group',
    Object.entries({ ...accounts, ...callers }).map(([name, id]) => [name, `${name}:x:${id}:`]),
  );
}
