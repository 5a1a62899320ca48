import type { Argument, Command, Help, Option } from 'commander';
import stringWidth from 'string-width';
import type { Say } from '#shared/texts/say.ts';

/** The library's headings in the help, and our texts for them. */
const titles = {
  'Usage:': 'command.usage',
  'Options:': 'command.options',
  'Commands:': 'command.commands',
  'Arguments:': 'command.arguments',
} as const;

/** The texts for arguments in a usage line, by name. */
const argumentWords = {
  server: 'command.serverWord',
  mode: 'command.modeWord',
  items: 'command.itemsWord',
  email: 'command.emailWord',
  command: 'command.commandWord',
  engine: 'command.engineWord',
  file: 'command.fileWord',
  folder: 'command.folderWord',
  shell: 'command.shellWord',
} as const;

/** Translates the help: by itself, the library uses English, and counts Chinese characters as one column. */
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
    displayWidth: stringWidth,
    commandUsage: (command) => [...namesOf(command), ...usageOf(command)].join(' '),
    subcommandTerm: (command) =>
      [
        command.name(),
        ...(command.options.length > 0 ? [`[${say('command.optionsWord')}]`] : []),
        ...argumentsOf(command),
      ].join(' '),
    argumentTerm: (argument) => wordOf(argument.name()),
    // Words that the user has to type, such as `on|off`, stay as they are.
    optionTerm: ({ flags }) => flags.replace(/<(\w+)>/, (_, name: string) => `<${wordOf(name)}>`),
    argumentDescription: withChoices,
    optionDescription: withChoices,
  };
}

/** A command's name, after those of its parents. */
const namesOf = (command: Command): string[] => [
  ...(command.parent ? namesOf(command.parent) : []),
  command.name(),
];
