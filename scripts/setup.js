// Sets up a fresh machine: npm packages everywhere, Debian packages if there is apt. Plain JavaScript, see run.js.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownerInPlaceOfRoot } from './ownership.js';

const root = path.resolve(import.meta.dirname, '..');

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** The exit code of shells for a program that was ended by Ctrl-C. */
const interrupted = 130;

/** Programs that the laboratory, the tests and the benchmarks run. */
const debianPackages = [
  'appstream',
  'apt-utils',
  'ayatana-indicator-application',
  'chromium',
  'chromium-headless-shell',
  'createrepo-c',
  'curl',
  'dbus',
  'dconf-cli',
  'dconf-gsettings-backend',
  'desktop-file-utils',
  'dnf',
  'dropbear-bin',
  'fonts-noto-cjk',
  'gcc-mingw-w64-x86-64-win32',
  'gnome-keyring',
  'gnupg',
  'gnutls-bin',
  'gsettings-desktop-schemas',
  'iperf3',
  'iproute2',
  'iputils-ping',
  'libglib2.0-bin',
  'libkf5config-bin',
  'libnss-systemd',
  'libsecret-1-0',
  'man-db',
  'microsocks',
  'mmdebstrap',
  'netcat-openbsd',
  'nftables',
  'nsis',
  'ocserv',
  'openconnect',
  'openssh-client',
  'openssl',
  'osslsigncode',
  'postgresql',
  'procps',
  'python3-dbusmock',
  'rpm',
  'systemd',
  'tcpdump',
  'tinyproxy-bin',
  'vpnc-scripts',
  'xvfb',
  'zsh',
  'zstd',
];

/**
 * For the laboratory's machines only: installed on this machine, they would take over its name resolution or its web
 * port. systemd-resolved must have the same version as the installed systemd.
 */
const unpackedPackages = {
  caddy: undefined,
  'isc-dhcp-client': undefined,
  'isc-dhcp-server': undefined,
  nginx: undefined,
  openresolv: undefined,
  resolvconf: undefined,
  'systemd-resolved': 'systemd',
  tayga: undefined,
};

/** Daemons that Debian enables on installation; the laboratory starts its own instances instead. */
const unwantedUnits = ['ocserv.service', 'ocserv.socket', 'postgresql.service'];

/**
 * Whether all npm packages are installed now; says so if not. Left to itself after Ctrl-C, npm would first finish and
 * undo what it has begun, for up to a minute and behind the back of the next start. `npm ci` begins anew in any case.
 */
export async function installNpmPackages() {
  const stamp = path.join(root, 'node_modules/.waymaker-lockfile');
  const lockfile = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile) return true;
  console.log('Installing npm packages …');
  // As the clone's owner: third-party install scripts do not run as root, and the cache stays the owner's.
  const words = ['ci', '--no-fund', '--no-audit', '--loglevel=error'];
  rmSync(stamp, { force: true });
  const outcome = await runUntilStopped('npm', words, ownerInPlaceOfRoot(root));
  if (outcome === 'done') writeFileSync(stamp, lockfile);
  if (outcome === 'failed') console.error('The npm packages could not be installed; is there a network?');
  return outcome === 'done';
}

/**
 * Whether all Debian packages are installed now. If some are missing and cannot be installed, prints the command for
 * it; without Debian's tools, says so if `isNeeded`.
 */
export async function installDebianPackages(isNeeded) {
  if (process.platform !== 'linux' || !onPath('dpkg-query')) {
    if (isNeeded)
      console.error('This needs Debian, or a system made from it: its packages cannot be installed here.');
    return false;
  }
  const missing = missingOf(debianPackages);
  if (missing.length === 0) return true;
  if (process.getuid?.() !== 0) {
    console.error(
      `Debian packages are missing. Install them with:\n  sudo apt-get install -y ${missing.join(' ')}`,
    );
    return false;
  }
  console.log(`Installing Debian packages: ${missing.join(' ')} …`);
  const isDone = await withoutStartingDaemons(
    async () =>
      (await succeeds('apt-get', ['update', '-qq'])) &&
      (await succeeds('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], {
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      })),
  );
  if (!isDone) console.error('They could not be installed; is there a network?');
  return isDone;
}

/** Unpacks packages that must not be installed into node_modules/.debian; says which ones are not available. */
export async function unpackDebianPackages() {
  const directory = path.join(root, 'node_modules/.debian');
  for (const [name, sameVersionAs] of Object.entries(unpackedPackages)) {
    const target = path.join(directory, name);
    if (existsSync(target)) continue;
    const version = sameVersionAs && query(sameVersionAs, '${Version}');
    const wanted = version ? `${name}=${version}` : name;
    const scratch = mkdtempSync(path.join(tmpdir(), 'waymaker-package-'));
    const download = () =>
      spawnSync('apt-get', ['download', '-qq', wanted], { cwd: scratch, encoding: 'utf8' });
    console.log(`Unpacking the Debian package ${wanted} …`);
    let { status, stderr } = download();
    if (status !== 0 && spawnSync('apt-get', ['update', '-qq']).status === 0)
      ({ status, stderr } = download());
    const [file] = readdirSync(scratch);
    if (status !== 0 || file === undefined) console.error(`not available: ${wanted}: ${stderr.trim()}`);
    else {
      mkdirSync(directory, { recursive: true });
      if (!(await succeeds('dpkg-deb', ['-x', path.join(scratch, file), `${target}.new`]))) process.exit(1);
      renameSync(`${target}.new`, target);
    }
    rmSync(scratch, { recursive: true });
  }
}

function onPath(command) {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}

function missingOf(names) {
  // Not `dpkg-query -s`: a removed package whose configuration is left still has a status. All in one query.
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n', ...names], {
    encoding: 'utf8',
  });
  const installed = new Set(stdout.split('\n').filter((line) => line.endsWith(' installed')));
  return names.filter((name) => !installed.has(`${name} installed`));
}

/** A field of an installed package, as dpkg-query(1) names it; empty if there is no such package. */
function query(name, field) {
  return spawnSync('dpkg-query', ['-W', '-f', field, name], { encoding: 'utf8' }).stdout;
}

/** Debian's own switch for this is /usr/sbin/policy-rc.d (Debian policy §9.3.3.1): 101 forbids an action. */
async function withoutStartingDaemons(install) {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const alreadyThere = new Set(unwantedUnits.filter((unit) => isUnit(unit)));
  let isDone = false;
  // Ctrl-C ends the installation, not this process, which has yet to remove the file.
  const ignore = () => undefined;
  for (const signal of endSignals) process.on(signal, ignore);
  try {
    isDone = await install();
  } finally {
    if (ours) rmSync(policy);
    for (const signal of endSignals) process.off(signal, ignore);
  }
  for (const unit of unwantedUnits) {
    if (!alreadyThere.has(unit) && isUnit(unit)) spawnSync('systemctl', ['disable', unit]);
  }
  return isDone;
}

function isUnit(name) {
  return ['/lib/systemd/system', '/etc/systemd/system'].some((folder) => existsSync(path.join(folder, name)));
}

/** Runs a command, and says so if it fails. */
async function succeeds(command, args, options = {}) {
  const problem = await problemOf(start(command, args, options));
  if (problem !== undefined) console.error(`failed: ${command} ${args.join(' ')} (${problem})`);
  return problem === undefined;
}

/** The same; Ctrl-C ends the command at once, with all that it has started, and gives this process its exit code. */
async function runUntilStopped(command, args, options = {}) {
  // Windows has no groups of processes; there, Ctrl-C reaches all of them.
  if (process.platform === 'win32') return (await succeeds(command, args, options)) ? 'done' : 'failed';
  const child = start(command, args, { ...options, detached: true });
  let isStopped = false;
  const stop = () => {
    if (isStopped) return;
    isStopped = true;
    process.exitCode = interrupted;
    console.log('Ending …');
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  for (const signal of endSignals) process.on(signal, stop);
  const problem = await problemOf(child);
  for (const signal of endSignals) process.off(signal, stop);
  if (isStopped) return 'stopped';
  if (problem === undefined) return 'done';
  console.error(`failed: ${command} ${args.join(' ')} (${problem})`);
  return 'failed';
}

const start = (command, args, options) =>
  spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });

/** Why a process has failed; undefined once it has succeeded. */
const problemOf = (child) =>
  new Promise((resolve) => {
    child.on('error', (problem) => resolve(problem.message));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
