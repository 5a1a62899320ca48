// Packages of Debian's later suites, for the programs of newer versions that the tests run beside this system's. They
// are never installed: apt gets directories of its own, and what it has fetched is unpacked. Plain JavaScript, see
// run.js.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The newest suite first. */
const suites = ['unstable', 'testing', 'stable'];

/** Where the newest ocserv is unpacked, with the libraries that it needs. */
const newestOcserv = path.join(root, 'node_modules/.debian/newest-ocserv');

/**
 * Where what `npm run peers` needs is unpacked: the peers' sources, and the newest programs that their scripts start.
 */
const peers = path.join(root, 'node_modules/.debian/peers');

const peersPrograms = `
  ocserv openconnect libsocket-wrapper libuid-wrapper libnss-wrapper libpam-wrapper
  curl freeradius gawk gnutls-bin gss-ntlmssp haproxy ipcalc-ng iperf3 iproute2 iputils-ping krb5-admin-server
  krb5-kdc krb5-user libradcli-dev nuttcp openssl pkgconf procps python3-flask python3-openssl
  python3-xmltodict softhsm2 tcpdump yajl-tools
`;

/** Unpacks it, unless it is there; says why if it cannot be had. */
export function unpackNewestOcserv() {
  if (existsSync(newestOcserv)) return;
  console.log('Unpacking the newest ocserv of Debian …');
  const problem = unpackLater(newestOcserv, ['ocserv']);
  if (problem !== undefined) console.error(`not available: the newest ocserv: ${problem}`);
}

/** Unpacks what `npm run peers` needs, unless it is there. False, with a reason printed, if it cannot be had. */
export function unpackPeers() {
  const programs = path.join(peers, 'programs');
  if (!existsSync(programs)) {
    console.log('Unpacking the peers’ programs from Debian …');
    const problem = unpackLater(programs, peersPrograms.trim().split(/\s+/));
    if (problem !== undefined) console.error(`not available: the peers’ programs: ${problem}`);
  }
  const missing = ['ocserv', 'openconnect'].filter((name) => !existsSync(path.join(peers, name)));
  if (missing.length > 0) console.log('Unpacking the peers’ sources from Debian …');
  const found = missing.length === 0 || unpackSources(peers, missing);
  return found && existsSync(programs);
}

/**
 * Unpacks the newest versions of these packages, with all that they depend on, into the directory `target`. Returns
 * what went wrong; undefined if it is there now.
 */
function unpackLater(target, packages) {
  return withApt(['unstable'], 'deb', (apt) => {
    const { problem: fetched } = apt('apt-get', [
      'install',
      '--download-only',
      '--no-install-recommends',
      '-y',
      ...packages,
    ]);
    if (fetched !== undefined) return fetched;
    const archives = path.join(apt.directory, 'cache/archives');
    const unpacked = path.join(apt.directory, 'unpacked');
    for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
      const { problem } = run('dpkg-deb', ['-x', path.join(archives, file), unpacked]);
      if (problem !== undefined) return problem;
    }
    return moveTo(unpacked, target);
  });
}

/**
 * Unpacks sources as their makers released them, each into a directory with its package's name, from the newest suite
 * from which it can be had; its version is in the file `.version`. False if one cannot be had.
 */
function unpackSources(target, names) {
  const problem = withApt(suites, 'deb-src', (apt) => {
    for (const name of names) {
      const isFound = suites.some((suite) => {
        const outcome = unpackSource(apt, target, name, suite);
        if (outcome !== undefined)
          console.error(`not available: the source of ${name} in ${suite}: ${outcome}`);
        return outcome === undefined;
      });
      if (!isFound) return `no suite has the source of ${name}`;
    }
    return undefined;
  });
  if (problem !== undefined) console.error(problem);
  return problem === undefined;
}

function unpackSource(apt, target, name, suite) {
  const place = path.join(apt.directory, `${name}-${suite}`);
  const unpacked = path.join(place, 'unpacked');
  mkdirSync(unpacked, { recursive: true });
  // Not the whole source package: only its archive has what the scripts need, and mirrors may lack the rest.
  const listed = apt('apt-get', ['source', '--print-uris', `${name}/${suite}`]);
  if (listed.problem !== undefined) return listed.problem;
  const found = /^'(\S+)' (\S+\.orig\.tar\.[a-z0-9]+) \d+ (\S+)$/m.exec(listed.output);
  if (!found) return 'it has no archive';
  const [, address, archive, digest] = found;
  const { problem } = apt('/usr/lib/apt/apt-helper', [
    'download-file',
    address,
    path.join(place, archive),
    digest,
  ]);
  if (problem !== undefined) return problem;
  const words = ['-xf', path.join(place, archive), '-C', unpacked, '--strip-components=1'];
  const extracted = run('tar', words).problem;
  if (extracted !== undefined) return extracted;
  writeFileSync(path.join(unpacked, '.version'), archive.replace(/^[^_]*_|\.orig\.tar.*$/g, ''));
  return moveTo(unpacked, path.join(target, name));
}

/** Gives `work` an apt that knows nothing but these suites, and has nothing installed. */
export function withApt(suitesKnown, type, work) {
  const mirror = debianMirror();
  if (mirror === undefined) return 'apt has no mirror of Debian';
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-later-'));
  const file = (name) => path.join(directory, name);
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'none'])
      mkdirSync(file(name), { recursive: true });
    writeFileSync(file('status'), '');
    const lines = suitesKnown.map((suite) => `${type} [signed-by=${keyring}] ${mirror} ${suite} main\n`);
    writeFileSync(file('sources.list'), lines.join(''));
    const settings = {
      'Dir::State': directory,
      'Dir::State::lists': file('lists'),
      'Dir::State::status': file('status'),
      'Dir::Cache': file('cache'),
      'Dir::Etc::sourcelist': file('sources.list'),
      'Dir::Etc::sourceparts': file('none'),
      'Dir::Etc::preferencesparts': file('none'),
      'Acquire::Languages': 'none',
      // It would otherwise fetch as somebody who may not enter the directory.
      'APT::Sandbox::User': 'root',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt = (command, words) => run(command, ['-qq', ...options, ...words], directory);
    apt.directory = directory;
    return apt('apt-get', ['update']).problem ?? work(apt);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The address from which this system has its own packages; undefined if that is not Debian. */
function debianMirror() {
  const format = '$(LABEL) $(REPO_URI)';
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], {
    encoding: 'utf8',
  });
  return /^Debian (\S+)$/m.exec(stdout ?? '')?.[1];
}

/** Runs a command: its standard output, and why it has failed; `problem` is undefined once it has succeeded. */
export function run(command, words, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  const output = stdout ?? '';
  if (status === 0) return { output, problem: undefined };
  const told = (stderr ?? '').split('\n').find((line) => line.startsWith('E: '));
  return {
    output,
    problem: error?.message ?? told?.slice(3) ?? `${command} ended with ${status}: ${stderr.trim()}`,
  };
}

/** Moves a finished directory to its place, over file systems if need be. */
export function moveTo(directory, target) {
  mkdirSync(path.dirname(target), { recursive: true });
  rmSync(`${target}.new`, { recursive: true, force: true });
  const { problem } = run('cp', ['-a', directory, `${target}.new`]);
  if (problem === undefined) renameSync(`${target}.new`, target);
  return problem;
}
