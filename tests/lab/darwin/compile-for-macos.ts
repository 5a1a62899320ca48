import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where scripts/darwin-headers.js unpacks the compiler with macOS's headers. */
const unpacked = path.resolve(import.meta.dirname, '../../../node_modules/.darwin');
const compiler = path.join(unpacked, 'zig');

export const macosProcessors = ['aarch64', 'x86_64'] as const;
export type MacosProcessor = (typeof macosProcessors)[number];

/** Why nothing can be compiled for macOS here; undefined if it can. */
export const whyWithoutHeaders = (): string | undefined =>
  existsSync(compiler) ? undefined : 'the set-up could not get macOS’s headers from npm';

/** A program that does nothing, signed by the linker (ad hoc) with these entitlements. */
export function linkForMacos(entitlements: string, processor: MacosProcessor): Buffer {
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-darwin-'));
  try {
    const [source, list] = [path.join(directory, 'program.c'), path.join(directory, 'entitlements.plist')];
    writeFileSync(source, 'int main(void) { return 0; }\n');
    writeFileSync(list, entitlements);
    const target = ['-lc', '-target', `${processor}-macos`, '-fno-compiler-rt'];
    const { status, stderr } = spawnSync(
      compiler,
      ['build-exe', source, ...target, '--entitlements', list, '--name', 'program'],
      {
        cwd: directory,
        encoding: 'utf8',
        env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: directory, ZIG_LOCAL_CACHE_DIR: directory },
      },
    );
    if (status !== 0) throw new Error(stderr);
    return readFileSync(path.join(directory, 'program'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The object of a C file, or what the compiler says against it. */
export function compileForMacos(
  source: string,
  processor: MacosProcessor,
): { object: Buffer } | { refusal: string } {
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-darwin-'));
  try {
    const file = path.join(directory, 'compared.c');
    const object = path.join(directory, 'compared.o');
    writeFileSync(file, source);
    const { status, stderr } = spawnSync(
      compiler,
      ['cc', '-target', `${processor}-macos`, '-c', file, '-o', object],
      {
        encoding: 'utf8',
        env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: directory, ZIG_LOCAL_CACHE_DIR: directory },
      },
    );
    return status === 0 ? { object: readFileSync(object) } : { refusal: stderr };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
