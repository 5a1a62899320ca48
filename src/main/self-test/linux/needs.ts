import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { isExecutable } from '#node/os/posix/executable.ts';
import type { Lack } from '../self-test.ts';

/** Where programs for administrators are looked for. */
export const programFolders = (): string[] => [
  ...(process.env['PATH'] ?? '').split(':'),
  '/usr/sbin',
  '/sbin',
  '/usr/bin',
  '/bin',
];

/** What is missing for a tunnel of one's own, and of these programs. */
export function lackOf(programs: readonly string[]): Lack | undefined {
  if (process.getuid?.() !== 0) return { kind: 'not-root' };
  const missing = programs.find(
    (program) => !programFolders().some((folder) => isExecutable(path.join(folder, program))),
  );
  if (missing !== undefined) return { kind: 'no-program', program: missing };
  try {
    // It can be there although the kernel has no such devices.
    closeSync(openSync('/dev/net/tun', 'r+'));
    return undefined;
  } catch (error) {
    return { kind: 'no-tun', detail: error instanceof Error ? error.message : String(error) };
  }
}

export function isInstalled(program: string): boolean {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return error === undefined;
}
