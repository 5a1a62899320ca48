import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode } from '../exit-code.ts';

/** The exit codes that shells use for programs that do not exist, or cannot be run. */
const notFound = 127;
const notExecutable = 126;

/**
 * Runs a program in the group that is routed by program, and passes on its exit code. This process enters the group first,
 * so that the program cannot open anything outside it.
 */
export async function runRouted(context: CommandContext, argv: readonly string[]): Promise<number> {
  const { say, terminal } = context;
  const connection = await context.core();
  const { client } = connection;
  const tunnel = await client.tunnel.snapshot();
  const { routing, apps: programs } = await client.preferences.get();
  if (!programs)
    throw new CommandProblem(exitCode.unavailable, 'unsupported', say('command.modeUnsupported'));
  if (routing !== 'app') throw new CommandProblem(exitCode.failed, 'not-routed', say('command.runNotRouted'));
  // Without a tunnel, the program would run outside it, which the user does not want.
  if (tunnel.state !== 'connected' && programs.policy === 'include')
    throw new CommandProblem(exitCode.notConnected, 'not-connected', say('command.runNotConnected'));
  if ((await client.routedApps.admit({ pid: process.pid })) !== 'admitted')
    throw new CommandProblem(exitCode.failed, 'not-admitted', say('command.runNotAdmitted'));
  connection.close();
  terminal.close();
  return await runProgram(context, argv);
}

function runProgram({ env, say, terminal }: CommandContext, argv: readonly string[]): Promise<number> {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
    process.removeAllListeners(signal);
    // Keys pressed on the terminal signal both processes.
    const isPressed = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    process.on(signal, () => void (isPressed || child.kill(signal)));
  }
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === 'ENOENT';
      terminal.note(say(isAbsent ? 'command.runNotFound' : 'command.runNotPossible', { program: file }));
      resolve(isAbsent ? notFound : notExecutable);
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
