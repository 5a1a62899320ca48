import type { CommanderError } from 'commander';
import type { Say } from '#shared/texts/say.ts';
import { CommandProblem } from './command-context.ts';
import { exitCode } from './exit-code.ts';

/**
 * What is wrong with the arguments, in the user's language; the parser's own messages are in English. `usage`: the help
 * of a command that was given without the one inside it that is wanted.
 */
export function usageProblem(
  { code, message }: CommanderError,
  { say, usage }: { say: Say; usage: string },
): CommandProblem {
  if (code === 'commander.help') return new CommandProblem(exitCode.usage, 'usage', usage.trimEnd());
  const word = /'([^']*)'/.exec(message)?.[1] ?? '';
  const text = {
    'commander.unknownCommand': say('command.unknownCommand', { word }),
    'commander.unknownOption': say('command.unknownOption', { word }),
    'commander.missingArgument': say('command.missing', { word }),
    'commander.optionMissingArgument': say('command.missing', { word }),
    'commander.missingMandatoryOptionValue': say('command.missing', { word }),
    'commander.excessArguments': say('command.tooMany'),
    'commander.invalidArgument': say('command.invalid', { word }),
  }[code];
  return new CommandProblem(exitCode.usage, 'usage', `${text ?? message}\n${say('command.seeHelp')}`);
}
