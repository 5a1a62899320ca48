import type { CommanderError } from 'commander';
import type { Say } from '#shared/texts/say.ts';
import { CommandProblem } from './command-context.ts';
import { exitCode } from './exit-code.ts';

/** What other programs of this kind call ours. */
const elsewhere = new Map([
  ...['login', 'log-in', 'signin'].map((word) => [word, 'sign-in'] as const),
  ...['logout', 'log-out', 'signout'].map((word) => [word, 'sign-out'] as const),
  ...['up', 'start'].map((word) => [word, 'connect'] as const),
  ...['down', 'stop'].map((word) => [word, 'disconnect'] as const),
  ['list', 'servers'],
  ['logs', 'log'],
  ['upgrade', 'update'],
]);

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
  const isCommand = code === 'commander.unknownCommand';
  // The parser finds what is spelled alike.
  const meant =
    (isCommand ? elsewhere.get(word) : undefined) ??
    /\n\(Did you mean (?:one of )?([\w-]+)[^\n]*\)$/.exec(message)?.[1];
  const text = {
    'commander.unknownCommand': say('command.unknownCommand', { word }),
    'commander.unknownOption': say('command.unknownOption', { word }),
    'commander.missingArgument': say('command.missing', { word }),
    'commander.optionMissingArgument': say('command.missing', { word }),
    'commander.missingMandatoryOptionValue': say('command.missing', { word }),
    'commander.excessArguments': say('command.tooMany'),
    'commander.invalidArgument': say('command.invalid', { word }),
  }[code];
  const said = [
    text ?? message,
    ...(meant === undefined ? [] : [say('command.didYouMean', { word: meant })]),
    say('command.seeHelp'),
  ];
  return new CommandProblem(exitCode.usage, 'usage', said.join('\n'));
}
