import path from 'node:path';
import type { Command } from 'commander';
import { createSay } from '#shared/texts/say.ts';
import { exitCode } from '../../src/main/cli/exit-code.ts';
import { createProgram } from '../../src/main/cli/program.ts';

export const manPageFile = path.resolve(import.meta.dirname, '../../resources/linux/waymaker.1');

const exitTexts: Record<keyof typeof exitCode, string> = {
  done: 'Done.',
  failed: 'Failed; the reason is on standard error.',
  usage: 'The command, an option or an argument is wrong.',
  notSignedIn: 'Nobody is signed in.',
  unavailable:
    'No tunnel can be made on this computer in its present state, e.g. because the helper is not running.',
  notConnected: 'Not connected: connect failed, or status \\-\\-check found no tunnel.',
  refused: 'You may not use the server, or the connection belongs to another user.',
  problems: 'doctor found a problem.',
  unchecked: 'self\\-test found nothing wrong, but could not check everything.',
  interrupted: 'Stopped by Ctrl\\-C.',
};

/** The manual page, generated from the same declarations as the help (man(7)). */
export function manPage(version: string): string {
  const program = createProgram({
    say: createSay('en', 'linux'),
    version,
    run: () => Promise.resolve(),
    daemon: () => Promise.resolve(),
    askRunningCore: () => Promise.resolve(),
  });
  return [
    '.\\" Written by `node scripts/man-page/write.ts`, do not edit.',
    `.TH WAYMAKER 1 "" "Waymaker ${version}" "User Commands"`,
    '.SH NAME',
    'waymaker \\- AnyConnect-compatible VPN on the command line',
    '.SH SYNOPSIS',
    '.B waymaker',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    'Does what the desktop app does, with the same core: that of the app if it is running, or else that of a background',
    'process, which it starts. If a server asks for something while connecting, it asks you on the terminal.',
    '.SH COMMANDS',
    ...leaves(program).flatMap(({ words, command }) => commandLines(words, command)),
    '.SH EXIT STATUS',
    ...Object.entries(exitCode).flatMap(([name, code]) => [
      '.TP',
      `.B ${code}`,
      exitTexts[name as keyof typeof exitCode],
    ]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B WAYMAKER_USER_DATA',
    'The app’s data folder, if it is not ~/.config/Waymaker.',
    '.SH SEE ALSO',
    '.BR openconnect (8)',
    '',
  ].join('\n');
}

/** Commands that do something, each with its full name. */
function leaves(command: Command, words = ''): { words: string; command: Command }[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((below) => {
      const all = `${words} ${below.name()}`.trim();
      return below.commands.length > 0 ? leaves(below, all) : [{ words: all, command: below }];
    });
}

function commandLines(words: string, command: Command): string[] {
  const help = command.createHelp();
  const usage = command.registeredArguments.map((argument) => help.argumentTerm(argument));
  const names = command.registeredArguments.map(({ required, variadic }, index) => {
    const name = `${usage[index] ?? ''}${variadic ? '...' : ''}`;
    return required ? name : `[${name}]`;
  });
  const details = [
    ...help.visibleArguments(command).map((one) => [help.argumentTerm(one), help.argumentDescription(one)]),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((one) => [help.optionTerm(one), help.optionDescription(one)]),
  ];
  return [
    '.TP',
    `.B ${escaped([words, ...names].join(' '))}`,
    escaped(command.description()),
    ...(details.length > 0 ? ['.RS'] : []),
    ...details.flatMap(([term = '', text = '']) => ['.TP', `.B ${escaped(term)}`, escaped(text)]),
    ...(details.length > 0 ? ['.RE'] : []),
  ];
}

/** man would print a hyphen as another character, and treats a dot or quote at the beginning of a line as a command. */
const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^[.']/, String.raw`\&$&`);
