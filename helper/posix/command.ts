import { execFile, spawn } from 'node:child_process';
import { isExecutable } from '#node/os/posix/executable.ts';

/** The search path of all programs that the helper runs; nothing of the helper's own environment is passed on. */
const programDirectories = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
export const programEnvironment = { PATH: programDirectories.join(':'), LC_ALL: 'C' };

export interface CommandResult {
  /** Exit status, or null if the program was killed by a signal. */
  status: number | null;
  stdout: string;
  stderr: string;
}

export type RunCommand = (file: string, args: readonly string[], input?: string) => Promise<CommandResult>;

/**
 * Runs a program whose whole output goes to an open descriptor, by its own writes, so that nothing of it is lost if
 * this process ends first. Resolves with the exit status, or null if a signal ended it; rejects if it cannot be
 * started.
 */
export type RunCommandInto = (
  file: string,
  args: readonly string[],
  output: number,
) => Promise<number | null>;

/** The maximum size of output that is kept, in bytes. */
const outputLimit = 4 * 1024 * 1024;

/** The absolute path of a program in the system's own directories, or undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return programDirectories.map((directory) => `${directory}/${name}`).find(isExecutable);
}

/** Runs a program to its end, without a shell. Rejects only if it cannot be started. */
export const runCommand: RunCommand = (name, args, input = '') =>
  new Promise((resolve, reject) => {
    const file = findProgram(name);
    if (file === undefined) {
      reject(new Error(`${name} is not installed`));
      return;
    }
    const child = execFile(
      file,
      args,
      { env: programEnvironment, cwd: '/', maxBuffer: outputLimit },
      (error, stdout, stderr) => {
        if (error && child.pid === undefined) reject(new Error(`cannot run ${name}`, { cause: error }));
        else resolve({ status: child.exitCode, stdout, stderr });
      },
    );
    // A program that ends without reading its input breaks the pipe; its status says what happened.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });

export const runCommandInto: RunCommandInto = (name, args, output) =>
  new Promise((resolve, reject) => {
    const file = findProgram(name);
    if (file === undefined) {
      reject(new Error(`${name} is not installed`));
      return;
    }
    spawn(file, args, { env: programEnvironment, cwd: '/', stdio: ['ignore', output, output] })
      .once('error', (error) => reject(new Error(`cannot run ${name}`, { cause: error })))
      .once('exit', resolve);
  });

/** Runs a program that has to succeed; otherwise throws with its output. */
export async function runOrThrow(
  run: RunCommand,
  name: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { status, stdout, stderr } = await run(name, args, input);
  if (status === 0) return stdout;
  throw new Error(`${name} ${args.join(' ')} failed with status ${status}: ${stderr.trim()}`);
}
