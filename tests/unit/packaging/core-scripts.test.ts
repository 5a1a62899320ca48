import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';

const scripts = path.resolve(import.meta.dirname, '../../../packaging/linux/scripts/common.sh');

/** A folder with a program in the place of the runtime, which runs until it is ended. */
function createFolder(name: string) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'waymaker-scripts-'));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const folder = path.join(scratch, name);
  mkdirSync(folder);
  const runtime = path.join(folder, 'node');
  /** As package managers replace a file. */
  const install = () => {
    copyFileSync(realpathSync('/bin/sleep'), `${runtime}.new`);
    renameSync(`${runtime}.new`, runtime);
  };
  install();
  return { folder, runtime, install };
}

async function start(program: string): Promise<ChildProcess> {
  const started = spawn(program, ['600'], { stdio: 'ignore' });
  onTestFinished(() => void started.kill('SIGKILL'));
  await once(started, 'spawn');
  return started;
}

const runIn = (folder: string, step: string) =>
  promisify(execFile)('/bin/sh', ['-c', `set -e; . "$1"; folder=$2; ${step}`, 'sh', scripts, folder]);

const onLinux = test.runIf(process.platform === 'linux');

onLinux(
  'a removal ends what runs on our runtime, also since before an upgrade, and nothing else',
  async () => {
    const ours = createFolder('our own');
    const others = createFolder('other');
    const before = await start(ours.runtime);
    const replaced = await start(others.runtime);
    ours.install();
    others.install();
    const untouched = await start(others.runtime);
    const after = await start(ours.runtime);
    await runIn(ours.folder, 'end_programs');
    await vi.waitFor(() =>
      expect([before, after].map(({ signalCode }) => signalCode)).toEqual(['SIGTERM', 'SIGTERM']),
    );
    for (const { exitCode, signalCode } of [replaced, untouched])
      expect([exitCode, signalCode]).toEqual([null, null]);
  },
);

/** Whoever it runs as leaves a file of their name, with their words and the names of what is in their environment. */
const asRoot = test.runIf(process.platform === 'linux' && process.getuid?.() === 0);

asRoot(
  'a removal has each user’s own program put back their proxy settings, and says whose it could not',
  async () => {
    const { folder, runtime } = createFolder('installed');
    const said = path.join(folder, 'said');
    mkdirSync(said);
    chmodSync(said, 0o777);
    chmodSync(path.dirname(folder), 0o755);
    const words = ['id -un', 'echo "$*"', 'echo "$HOME"', 'env | sed -n "s/=.*//p" | sort'];
    const lines = `#!/bin/sh\n{ ${words.join('; ')}; } > "${said}/$(id -u)"\n[ "$(id -u)" = 0 ]\n`;
    writeFileSync(runtime, lines, { mode: 0o755 });
    // The last one has no account any more.
    const users = 'users_with_profile() { echo 0; echo 65534; echo 4294967294; }';
    const { stderr } = await runIn(folder, `${users}; put_back_proxies`);
    expect(readdirSync(said).toSorted()).toEqual(['0', '65534']);
    const [name, command, home, ...env] = readFileSync(path.join(said, '65534'), 'utf8').trim().split('\n');
    expect([name, command, home]).toEqual([
      'nobody',
      `${folder}/app/cli.js put-back-proxies`,
      '/nonexistent',
    ]);
    // What the shell itself sets is among them.
    const given = ['DBUS_SESSION_BUS_ADDRESS', 'HOME', 'LOGNAME', 'PATH', 'PWD', 'USER', 'XDG_RUNTIME_DIR'];
    expect(env.filter((one) => !given.includes(one))).toEqual([]);
    expect(stderr.trim().split('\n')).toEqual([
      "waymaker-core: the proxy settings of nobody may still point at Waymaker: they are among the desktop's settings.",
    ]);
  },
);

onLinux('users whose own folder has files of ours are found, and everybody who is logged in', async () => {
  const { folder } = createFolder('installed');
  const home = path.join(folder, 'a home');
  mkdirSync(path.join(home, '.config/Waymaker'), { recursive: true });
  const accounts = [`one:x:5001:5001::${home}:/bin/sh`, `two:x:5002:5002::${folder}:/bin/sh`];
  const doubles = `getent() { printf '%s\\n' '${accounts.join("' '")}'; }; ls() { echo 5001; echo 5003; }`;
  const { stdout } = await runIn(folder, `${doubles}; users_with_profile`);
  expect(stdout.trim().split('\n')).toEqual(['5001', '5003']);
});

onLinux.for([
  ['again', 'enabled', 'active', 'restart'],
  ['again', 'enabled', 'inactive', 'restart'],
  // Started by hand: it would go on with the files of before.
  ['again', 'disabled', 'active', 'restart'],
  ['again', 'disabled', 'inactive', ''],
  ['back', 'enabled', 'active', 'start'],
  ['back', 'disabled', 'active', ''],
  ['first', 'disabled', 'inactive', 'restart'],
])('after an installation, %s, a helper that is %s and %s: %j', async ([occasion, enabled, active, done]) => {
  const { folder } = createFolder('installed');
  const doubles = [
    'has_systemd() { :; }',
    `systemctl() { case "$*" in *is-enabled*) [ ${enabled} = enabled ] ;; *is-active*) [ ${active} = active ] ;; esac; }`,
    'start_unit() { echo "$1" > "$folder/done"; }',
  ];
  await runIn(folder, `${doubles.join('\n')}\n: > "$folder/done"; start_helper ${occasion}`);
  expect(readFileSync(path.join(folder, 'done'), 'utf8').trim()).toBe(done);
});
