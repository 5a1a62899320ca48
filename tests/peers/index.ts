// Runs openconnect's own tests and ocserv's, from Debian's source packages: once as they are, and once with our sign-in
// in openconnect's place. Prints a table of both; fails if openconnect passes where we do not, without a reason.
// Words say which scripts, by how their names begin; `--continue` goes on where the last run of all was ended.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { native } from '../../scripts/build-helper.ts';
import { bundleProgram } from '../../scripts/bundle-program.ts';
import { notYet } from './not-ours.ts';
import { peers, rowsOf, type Peer, type Row } from './rows.ts';

const root = path.resolve(import.meta.dirname, '../..');
const unpacked = path.join(root, 'node_modules/.debian/peers');
const programs = path.join(unpacked, 'programs');
const output = path.join(root, 'out/peers');
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isContinued = process.argv.includes('--continue');

/** Most of their time, the scripts sleep. */
const lanes = availableParallelism() * 3;
const timeoutMs = 300_000;

type Outcome = 'pass' | 'fail' | 'skip';

/** The substitutions that the peers' own configuration makes in their `.in` files. */
const substitutions: Readonly<Record<Peer, () => Record<string, Record<string, string>>>> = {
  openconnect: () => {
    const values = {
      abs_top_srcdir: '/mnt',
      top_srcdir: '/mnt',
      OCSERV_USER: 'root',
      OCSERV_GROUP: 'root',
    };
    const files = ['configs/test-user-cert.config', 'configs/test-user-pass.config', 'softhsm2.conf'];
    return Object.fromEntries(files.map((file) => [file, values]));
  },
  ocserv: () => ({
    'data/pam/nss-group': { ROOTGID: '0' },
    'data/pam/nss-passwd': { ROOTUID: '0', ROOTGID: '0' },
    'data/pam/ocserv': { PAMWRAPDIR: '/usr/lib/x86_64-linux-gnu/pam_wrapper' },
    'data/raddb/radiusd.conf': { RADIUS_LIBDIR: '/usr/lib/freeradius' },
  }),
};

/** A copy of the suite for one script: others run at the same time, and write the same files. */
async function copyOf({ peer }: Row, directory: string): Promise<string> {
  const tests = path.join(directory, 'tests');
  await cp(path.join(unpacked, peer, 'tests'), tests, { recursive: true });
  for (const [file, values] of Object.entries(substitutions[peer]())) {
    let text = await readFile(path.join(tests, `${file}.in`), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    for (const [name, value] of Object.entries(values)) text = text.replaceAll(`@${name}@`, value);
    await writeFile(path.join(tests, file), text);
  }
  return tests;
}

/** Each ends with everything that it has started. */
const running = new Set<ChildProcess>();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    ending.abort();
    for (const child of running) child.kill('SIGKILL');
  });
}

/** What openconnect's Makefile tells its scripts. */
const keys = /^(?:user|ec)-key-(?!.*(?:swtpm|pbes2-sha256|md5-des|nonascii))/;

async function runScript(row: Row, openconnect: string, log: string): Promise<Outcome> {
  if (ending.signal.aborted) return 'skip';
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-peers-'));
  // ocserv's workers run as somebody else.
  await chmod(directory, 0o755);
  try {
    const tests = await copyOf(row, directory);
    const certificates = await readdir(path.join(tests, 'certs'));
    const child = spawn(
      'unshare',
      [
        '--mount',
        '--net',
        '--pid',
        '--fork',
        '--kill-child',
        '--mount-proc',
        '--propagation',
        'private',
      ].concat(['sh', path.join(import.meta.dirname, 'run-script.sh'), programs, directory, row.script]),
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
          HOME: '/mnt',
          LC_ALL: 'C.UTF-8',
          OPENCONNECT: openconnect,
          SERV: '/usr/sbin/ocserv',
          OCSERV: '/usr/sbin/ocserv',
          OCCTL: '/usr/bin/occtl',
          OCPASSWD: '/usr/bin/ocpasswd',
          // Some ask with it whether openconnect is newer than a version of 2019.
          PKG_CONFIG: '/bin/true',
          srcdir: '.',
          builddir: '.',
          key_list: certificates
            .filter((name) => keys.test(name))
            .map((name) => `./certs/${name}`)
            .join(' '),
          pkcs11_keys: 'object=RSA id=%01 object=EC id=%03',
          pkcs11_tokens: 'openconnect-test openconnect-test1 openconnect-test2',
        },
      },
    );
    running.add(child);
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = once(child, 'close') as Promise<[number | null]>;
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const [code] = await ended;
    clearTimeout(timer);
    running.delete(child);
    await writeFile(log, Buffer.concat(chunks));
    if (code === 77) return 'skip';
    return code === 0 ? 'pass' : 'fail';
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Result {
  row: Row;
  openconnect: Outcome | 'not run';
  ours: Outcome | 'not run';
}

/** What was found since the last run of all scripts began. */
const resultsFile = path.join(output, 'results.json');

async function knownResults(all: readonly Row[]): Promise<Result[]> {
  if (wanted.length === 0 && !isContinued) return [];
  const text = await readFile(resultsFile, 'utf8').catch(() => '[]');
  return (JSON.parse(text) as Result[]).flatMap((result) => {
    const row = all.find(({ peer, script }) => peer === result.row.peer && script === result.row.script);
    // Whether a script is ours may have been decided since.
    const isStill = (row?.notOurs !== undefined) === (result.openconnect === 'not run');
    return row && isStill ? [{ ...result, row }] : [];
  });
}

async function compare(row: Row, ours: string): Promise<Result> {
  if (row.notOurs !== undefined) return { row, openconnect: 'not run', ours: 'not run' };
  const log = (who: string) => path.join(output, `${row.peer}-${row.script}-${who}.log`);
  const openconnect = await runScript(row, '/usr/sbin/openconnect', log('openconnect'));
  // What does not pass with openconnect says nothing about us.
  if (openconnect !== 'pass') return { row, openconnect, ours: 'not run' };
  const first = await runScript(row, ours, log('ours'));
  return { row, openconnect, ours: first === 'pass' ? first : await runScript(row, ours, log('ours')) };
}

/** The last line that a script printed, which usually says why it ended. */
async function lastLine({ peer, script }: Row): Promise<string> {
  const text = await readFile(path.join(output, `${peer}-${script}-openconnect.log`), 'utf8');
  return text.trim().split('\n').at(-1)?.slice(0, 100) ?? '';
}

/** A command in openconnect's place. */
async function ourCommand(): Promise<string> {
  const bundle = path.join(output, 'openconnect.mjs');
  await bundleProgram({ entry: 'tests/peers/openconnect.ts', file: bundle, external: [...native] });
  const command = path.join(output, 'openconnect');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`, { mode: 0o755 });
  return command;
}

async function reasonFor({ row, openconnect, ours }: Result): Promise<string | undefined> {
  if (row.notOurs !== undefined) return row.notOurs;
  if (openconnect !== 'pass') return `cannot run here: ${await lastLine(row)}`;
  if (ours === 'pass') return '';
  const reason = notYet[row.peer][row.script];
  return reason === undefined ? undefined : `not supported yet: ${reason}`;
}

async function main(): Promise<number> {
  await mkdir(output, { recursive: true });
  const ours = await ourCommand();
  const all = (
    await Promise.all(peers.map((peer) => rowsOf(peer, path.join(unpacked, peer, 'tests'))))
  ).flat();
  const rows = all.filter(
    ({ script }) => wanted.length === 0 || wanted.some((word) => script.startsWith(word)),
  );
  const versions = await Promise.all(
    peers.map(async (peer) => `${peer} ${await readFile(path.join(unpacked, peer, '.version'), 'utf8')}`),
  );
  if (rows.length === 0) {
    console.error(`No script of theirs begins with ${wanted.join(' or ')}. There are ${scriptsOf(all)}.`);
    return 2;
  }
  console.log(`The tests of ${versions.join(' and ')}, with Debian’s newest programs:`);
  const known = new Map((await knownResults(all)).map((result) => [result.row, result]));
  const waiting = rows.filter((row) => !isContinued || !known.has(row));
  if (waiting.length < rows.length) console.log(`${rows.length - waiting.length} are known already.`);
  for (const row of waiting) known.delete(row);
  const total = waiting.length;
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      // Not all at the same moment, which would make the slowest machines fail.
      await delay(lane * 200);
      for (let row = waiting.shift(); row && !ending.signal.aborted; row = waiting.shift()) {
        const result = await compare(row, ours);
        if (ending.signal.aborted) return;
        known.set(row, result);
        done += 1;
        console.log(
          `${done}/${total} ${row.peer} ${row.script}: ${result.openconnect}, ours: ${result.ours}`,
        );
        await writeFile(resultsFile, JSON.stringify([...known.values()]));
      }
    }),
  );
  const found = (among: readonly Row[]) => among.flatMap((row) => known.get(row) ?? []);
  await writeFile(path.join(output, 'table.md'), `${(await tableOf(found(all))).join('\n')}\n`);
  const results = found(rows);
  console.log((await tableOf(results)).join('\n'));
  const reasons = await Promise.all(results.map(reasonFor));
  const unexplained = reasons.filter((reason) => reason === undefined).length;
  if (unexplained > 0) console.error(`${unexplained} without a reason; what was printed is in ${output}`);
  const missing = rows.length - results.length;
  if (missing > 0) console.error(`${missing} have not run; npm run peers -- --continue runs them`);
  return unexplained + missing === 0 ? 0 : 1;
}

async function tableOf(results: readonly Result[]): Promise<string[]> {
  const lines = await Promise.all(
    results.map(async (result) => {
      const { row, openconnect, ours } = result;
      const reason = (await reasonFor(result)) ?? 'WITHOUT A REASON';
      return `| ${row.peer} | ${row.script} | ${openconnect} | ${ours} | ${reason} |`;
    }),
  );
  const count = (who: 'openconnect' | 'ours') => results.filter((result) => result[who] === 'pass').length;
  return ['| suite | script | openconnect | ours | |', '| --- | --- | --- | --- | --- |'].concat(lines, [
    '',
    `openconnect passes ${count('openconnect')}, our sign-in ${count('ours')} of these.`,
  ]);
}

const scriptsOf = (rows: readonly Row[]) => rows.map(({ script }) => script).join(', ');

process.exitCode = await main();
