import type { RunCommand } from '../../posix/command.ts';

/** Ends what runs as one of our users. */
export async function endProcessesOf(run: RunCommand, uid: number): Promise<void> {
  const { status, stderr } = await run('pkill', ['-KILL', '-u', String(uid)]);
  // 1: there are none (pkill(1)).
  if (status !== 0 && status !== 1) throw new Error(`pkill failed with status ${status}: ${stderr.trim()}`);
}
