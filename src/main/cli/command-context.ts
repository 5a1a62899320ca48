import type { ControlConnection } from '../control/control-connection.ts';
import type { Language } from '#shared/entities.ts';
import type { Say } from '#shared/texts/say.ts';
import { exitCode as exitCodes, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** What the commands are given. */
export interface CommandContext {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** The app's data folder. */
  profile: string;
  version: string;
  say: Say;
  /** In which `say` speaks now. */
  language(): Language;
  terminal: Terminal;
  /** Whether programs read the result. */
  isJson: boolean;
  /** The process that has the core now, started if there is none. Throws a `CommandProblem`. */
  core(): Promise<ControlConnection>;
  /** Aborts with the user's Ctrl-C, or SIGTERM. */
  interrupted: AbortSignal;
}

/** Why a command could not be done, for whoever called it. */
export class CommandProblem extends Error {
  override name = 'CommandProblem';
  readonly exitCode: ExitCode;
  /** For programs: a word that does not change. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** Rejects when the user has had enough. */
export function whenInterrupted({ interrupted }: Pick<CommandContext, 'interrupted'>): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new CommandProblem(exitCodes.interrupted, 'interrupted', ''));
  if (interrupted.aborted) stop();
  interrupted.addEventListener('abort', stop);
  return promise;
}
