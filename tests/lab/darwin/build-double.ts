import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const unpacked = path.resolve(import.meta.dirname, '../../../node_modules/.darwin');
const headers = path.join(unpacked, 'lib/libc/include');
const includes = [
  path.join(headers, 'x86_64-macos.13-none'),
  path.join(headers, 'any-macos.13-any'),
  path.join(headers, 'any-macos-any'),
  path.join(unpacked, 'lib/include'),
].flatMap((directory) => ['-isystem', directory]);

/**
 * Compiles a double of macOS's library for Linux, with Apple's headers: on x86-64 both systems lay out structures in
 * the same way. The directory that the library is in is whoever asks for it to remove.
 */
export function buildDouble(source: 'kernel' | 'store' | 'directory'): {
  library: string;
  directory: string;
} {
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-double-'));
  const object = path.join(directory, `${source}.o`);
  const library = path.join(directory, `lib${source}.so`);
  const file = path.join(import.meta.dirname, 'double', `${source}.c`);
  const plain = [
    '-fPIC',
    '-ffreestanding',
    '-fno-builtin',
    '-fno-sanitize=undefined',
    '-fno-stack-protector',
  ];
  const asOnDarwin = ['-nostdinc', '-D__CLANG_STDINT_H', '-D__APPLE__', '-D__MACH__', ...includes];
  run(['cc', '-target', 'x86_64-linux-gnu', ...plain, ...asOnDarwin, '-c', file, '-o', object], directory);
  run(['ld.lld', '-shared', object, '-o', library], directory);
  return { library, directory };
}

function run(words: readonly string[], cache: string): void {
  const { status, stderr } = spawnSync(path.join(unpacked, 'zig'), words, {
    encoding: 'utf8',
    env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache },
  });
  if (status !== 0) throw new Error(`zig ${words[0]} failed: ${stderr}`);
}
