import { execFile } from 'node:child_process';
import { programFile } from '#node/os/program-file.ts';

/**
 * Runs a program of the user's system, found on the PATH, without a shell and in the app's environment with `env`
 * added; on Windows, one of its own, by a path below the folder of those or a whole one. Resolves with its output
 * without the last line break, or with undefined if it is not installed; rejects if it fails or takes too long.
 */
export type RunProgram = (
  name: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<string | undefined>;

/** Routing tables have a line for each prefix of a list. */
const maxOutputBytes = 64 * 1024 * 1024;

/**
 * For programs that answer at once; one that waits for a broken message bus is killed. `env`: in the place of the
 * app's.
 */
export function createRunProgram({
  timeLimitMs = 5000,
  env: own = process.env,
}: { timeLimitMs?: number; env?: Readonly<NodeJS.ProcessEnv> } = {}): RunProgram {
  return (name, args, env) =>
    new Promise((resolve, reject) => {
      execFile(
        programFile(name),
        args,
        {
          env: { ...own, ...env },
          // Otherwise each program of the terminal's opens a window on Windows for as long as it runs.
          windowsHide: true,
          timeout: timeLimitMs,
          killSignal: 'SIGKILL',
          maxBuffer: maxOutputBytes,
        },
        (error, stdout, stderr) => {
          if (!error) resolve(stdout.replace(/\n$/, ''));
          else if (error.code === 'ENOENT') resolve(undefined);
          else reject(new Error(`${name} failed: ${stderr.trim()}`, { cause: error }));
        },
      );
    });
}
