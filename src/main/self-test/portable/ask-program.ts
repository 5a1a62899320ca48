import { spawnSync } from 'node:child_process';

/** What one of the system's programs prints. Throws if it fails, or is not there. */
export function askProgram(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: 15_000,
    windowsHide: true,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.trim() || stdout.trim()}`);
  return stdout;
}

/** The same for what is compared later: why there is nothing is also an answer. */
export function toldBy(program: string, args: readonly string[]): string {
  try {
    return askProgram(program, args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Its lines, without those that change by themselves, in an order that does not. */
export const steadyLines = (text: string, changing: RegExp): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !changing.test(line))
    .toSorted()
    .join('\n');
