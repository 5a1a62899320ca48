import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { readEnvironment } from '../../environment.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { helperProgram } from '../helper-program.ts';
import { helperOn } from '../restore/this-helper.ts';

/** A helper that was asked to end is not started again, so that the second try should succeed. */
const maxTries = 3;

/**
 * For users who are cut off and have no helper to ask: undoes everything in the helper's journal, and unblocks traffic,
 * using the helper's own program. A running helper is only stopped with `isForced`, because the user can ask it to
 * disconnect instead.
 */
export async function restore(
  context: CommandContext,
  { isForced, stateDirectory }: { isForced: boolean; stateDirectory: string | undefined },
): Promise<ExitCode> {
  const { terminal, say, env, platform } = context;
  const { helperSocket } = readEnvironment(env, platform);
  const helper = helperOn({ platform, env, socket: helperSocket });
  if (!helper.mayRestore())
    throw new CommandProblem(exitCode.failed, 'not-root', say('command.restoreNeedsRoot'));
  const program = helperProgram();
  if (program === undefined)
    throw new CommandProblem(exitCode.unavailable, 'helper-absent', say('cause.helperAbsent'));
  const folder = stateDirectory === undefined ? [] : ['--state-dir', path.resolve(stateDirectory)];
  const args = [program, '--restore', '--socket', path.resolve(helperSocket), ...folder];
  for (let tried = 1; ; tried += 1) {
    if (await helper.isRunning()) {
      if (!isForced)
        throw new CommandProblem(exitCode.failed, 'helper-running', say('command.restoreHelperRuns'));
      await helper.stop();
    }
    const { code, output } = await runProgram(args, env);
    if (code === 0) break;
    // After a crash, the service manager starts a helper again, which may have come first.
    if (tried < maxTries && (await helper.isRunning())) continue;
    // For people who are asked for help.
    terminal.note(output.trimEnd());
    throw new CommandProblem(exitCode.failed, 'not-restored', say('command.restoreFailed'));
  }
  if (context.isJson) terminal.out(JSON.stringify({ restored: true }));
  else terminal.out(say('command.restored'));
  return exitCode.done;
}

async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
