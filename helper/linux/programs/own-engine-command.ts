import { engineArguments, engineEnvironment } from '../../posix/engine-arguments.ts';
import type { UnprivilegedCommand } from '../../system/ports/engine-host-port.ts';
import type { Account } from '../callers/accounts.ts';
import { ownProgramCommand } from './own-program-command.ts';

/**
 * How to run our own engine. It is a program of ours, so it is read as root, and becomes `account` for good before it
 * reads anything else.
 */
export function ownEngineCommand({ uid, gid }: Account, script: string): UnprivilegedCommand {
  return {
    ...ownProgramCommand(engineArguments(script, { uid, gid })),
    environment: engineEnvironment(),
  };
}
