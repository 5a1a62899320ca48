import type { Argument, Command, Help, Option } from 'commander';
import type { Say } from '#shared/texts/say.ts';
import { widthOf } from './terminal.ts';

/** The library's own words of the help, by ours. */
const titles = {
  'Usage:': 'command.usage',
  'Options:': 'command.options',
  'Commands:': 'command.commands',
  'Arguments:': 'command.arguments',
} as const;

/** What stands for an argument in a usage line, by its name. */
const argumentWords = {
  server: 'command.serverWord',
  mode: 'command.modeWord',
  items: 'command.itemsWord',
  email: 'command.emailWord',
  command: 'command.commandWord',
  folder: 'command.folderWord',
  shell: 'command.shellWord',
} as const;

/** Has the help speak the user's language: by itself the library speaks English, and takes Chinese to be half as wide. */
export function translatedHelp(say: Say): Partial<Help> {
  const wordOf = (name: string) =>
    Object.hasOwn(argumentWords, name) ? say(argumentWords[name as keyof typeof argumentWords]) : name;
  const argumentsOf = ({ registeredArguments }: Command) =>
    registeredArguments.map((argument) => {
      const word = `${wordOf(argument.name())}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${word}>` : `[${word}]`;
    });
  const usageOf = (command: Command): string[] => [
    `[${say('command.optionsWord')}]`,
    ...(command.commands.length > 0 ? [`[${say('command.commandWord')}]`] : []),
    ...argumentsOf(command),
  ];
  const withChoices = ({ description, argChoices }: Argument | Option) =>
    argChoices ? say('command.choices', { text: description, choices: argChoices.join(', ') }) : description;
  return {
    showGlobalOptions: false,
    styleTitle: (title) => (Object.hasOwn(titles, title) ? say(titles[title as keyof typeof titles]) : title),
    displayWidth: widthOf,
    commandUsage: (command) => [...namesOf(command), ...usageOf(command)].join(' '),
    subcommandTerm: (command) =>
      [
        command.name(),
        ...(command.options.length > 0 ? [`[${say('command.optionsWord')}]`] : []),
        ...argumentsOf(command),
      ].join(' '),
    argumentTerm: (argument) => wordOf(argument.name()),
    // Words that are to be typed stay, such as `on|off`.
    optionTerm: ({ flags }) => flags.replace(/<(\w+)>/, (_, name: string) => `<${wordOf(name)}>`),
    argumentDescription: withChoices,
    optionDescription: withChoices,
  };
}

/** A command's own name after those that it is below. */
const namesOf = (command: Command): string[] => [
  ...(command.parent ? namesOf(command.parent) : []),
  command.name(),
];
