import type { ControlConnection } from '../control/control-connection.ts';
import type { Language } from '#shared/entities.ts';
import type { Say } from '#shared/texts/say.ts';
import type { ErrorCode, ErrorExit } from './error-code.ts';
import { exitCode as exitCodes } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** What commands get to work with. */
export interface CommandContext {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** The app's data folder. */
  profile: string;
  version: string;
  say: Say;
  /** The language that `say` uses now. */
  language(): Language;
  terminal: Terminal;
  /** Whether the result is for programs. */
  isJson: boolean;
  /** Connects to the process that runs the core, and starts one if there is none. Throws a `CommandProblem`. */
  core(): Promise<ControlConnection>;
  /** Aborted by Ctrl-C or SIGTERM. */
  interrupted: AbortSignal;
}

/** Why a command failed, for whoever called it. */
export class CommandProblem<Exit extends ErrorExit = ErrorExit> extends Error {
  override name = 'CommandProblem';
  readonly exitCode: Exit;
  /** For programs: a word that stays the same. */
  readonly code: ErrorCode<Exit>;

  constructor(exitCode: Exit, code: ErrorCode<Exit>, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** Rejects when the user interrupts the command. */
export function whenInterrupted({ interrupted }: Pick<CommandContext, 'interrupted'>): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new CommandProblem(exitCodes.interrupted, 'interrupted', ''));
  if (interrupted.aborted) stop();
  interrupted.addEventListener('abort', stop);
  return promise;
}
