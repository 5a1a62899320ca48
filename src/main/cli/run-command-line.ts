import { CommanderError } from 'commander';
import { desktopPlatform } from '#node/os/desktop-platform.ts';
import type { Language } from '#shared/entities.ts';
import { chooseLanguage } from '#shared/language.ts';
import { createSay } from '#shared/texts/say.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { chosenLanguage, logFileOf } from '../daemon-place.ts';
import { systemLanguages } from '../environment.ts';
import { CommandProblem, whenInterrupted, type CommandContext } from './command-context.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { createProgram } from './program.ts';
import { putBackForRemoval, removalWord } from './removal.ts';
import { findCore, reachCore } from './reach-core.ts';
import { createTerminal } from './terminal.ts';
import { isUnusableFolder, profileFolder } from './profile-folder.ts';
import { usageProblem } from './usage-problem.ts';
import { mayBeUnseenTerminal } from './unseen-terminal.ts';

/** Runs the command in the arguments, and resolves with the exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const { env, platform } = process;
  const version = import.meta.env.VITE_APP_VERSION;
  const known = profileFolder({ env, platform });
  if (argv[0] === removalWord) return await putBackForRemoval({ profile: known, env, platform, version });
  // If it is not known, nothing is read or written there.
  const profile = known ?? '';
  const chosen = known === undefined ? undefined : chosenLanguage(known);
  let language: Language = chosen ?? chooseLanguage(systemLanguages(env));
  const say = createSay(() => language, desktopPlatform(platform));
  const terminal = createTerminal({
    input: process.stdin,
    output: process.stdout,
    notes: process.stderr,
    mayBeSeen: mayBeUnseenTerminal(env) ? () => say('command.mayBeSeen') : undefined,
  });
  /** The connection to the process that runs the core; undefined again when that process ends. */
  let reached: Promise<ControlConnection> | undefined;
  let isCoreGone = false;
  const interruption = new AbortController();
  let code: number = exitCode.done;
  // Even if other arguments are wrong.
  let isJson = argv.includes('--json');

  async function core(): Promise<ControlConnection> {
    if (!reached) {
      const opened = reachCore({ env, platform, profile, version, logFile: logFileOf(profile), say });
      reached = opened;
      isCoreGone = false;
      void opened.then(
        ({ closed }) =>
          closed.then(() => {
            if (reached === opened) reached = undefined;
            isCoreGone = true;
          }),
        () => undefined,
      );
    }
    const connection = await reached;
    // The language that the user chose in the app overrides the terminal's.
    if (connection.core.language !== 'system') ({ language } = connection.core);
    return connection;
  }

  /** The help that the parser has last written because a command was incomplete. */
  let usage = '';
  const program = createProgram({
    say,
    version,
    onUsage: (text) => (usage = text),
    async run(wantsJson, command, { handlesInterruption = false } = {}) {
      isJson = wantsJson;
      interruptBy(interruption);
      const context: CommandContext = {
        env,
        platform,
        profile,
        version,
        say,
        language: () => language,
        terminal,
        isJson,
        core,
        interrupted: interruption.signal,
      };
      const result = command(context);
      code = await (handlesInterruption ? result : Promise.race([result, whenInterrupted(context)]));
    },
    async askRunningCore(ask) {
      const connection = await findCore({ env, platform, profile, version, say });
      if (!connection) return;
      try {
        await ask(connection.client);
      } finally {
        connection.close();
      }
    },
    async daemon({ isService }) {
      interruptBy(interruption);
      const { runDaemon } = await import('../daemon.ts');
      const end = await runDaemon({
        profile,
        version,
        env,
        platform,
        isService,
        onReady: () => void tellParent('ready'),
        stop: interruption.signal,
      });
      // The command that started this process then waits for the process that runs the core.
      if (end === 'taken') {
        await tellParent('taken');
        terminal.note(say('command.coreTaken'));
      }
      // Timers and sockets of libraries that the core used may still be open; nobody needs them.
      process.exit(end === 'taken' ? exitCode.failed : exitCode.done);
    },
  });

  try {
    if (known === undefined)
      throw new CommandProblem(exitCode.failed, 'no-data-folder', say('command.noHome'));
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = complain(error);
  } finally {
    terminal.close();
    void reached?.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }
  return code;

  function complain(error: unknown): ExitCode {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.done;
    const problem = problemOf(error);
    if (isJson) terminal.out(JSON.stringify({ error: { code: problem.code, message: problem.message } }));
    if (problem.message !== '') terminal.note(problem.message);
    return problem.exitCode;
  }

  function problemOf(error: unknown): CommandProblem {
    if (error instanceof CommandProblem) return error;
    if (error instanceof CommanderError) return usageProblem(error, { say, usage });
    if (isUnusableFolder(error, profile))
      return new CommandProblem(
        exitCode.failed,
        'no-data-folder',
        say('command.noDataFolder', { folder: profile }),
      );
    // The last request was not answered.
    if (isCoreGone) return new CommandProblem(exitCode.failed, 'core-gone', say('command.coreGone'));
    const problem = error instanceof Error ? error.message : String(error);
    return new CommandProblem(exitCode.failed, 'failed', say('command.failed', { problem }));
  }
}

/** Notifies the command that started this process, if there is one; it may have ended. */
function tellParent(word: 'ready' | 'taken'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (process.send) process.send(word, undefined, undefined, () => resolve());
  else resolve();
  return promise;
}

/** A signal that comes so soon after another is the same one: timeout(1) sends it to a process, and to its group. */
const sameSignalMs = 300;

function interruptBy(interruption: AbortController): void {
  let interruptedAt = Infinity;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // On a second Ctrl-C, do not wait for a clean end.
      if (performance.now() - interruptedAt > sameSignalMs) process.exit(exitCode.interrupted);
      if (interruption.signal.aborted) return;
      interruptedAt = performance.now();
      interruption.abort();
    });
}
