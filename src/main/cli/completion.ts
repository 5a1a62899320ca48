import completionScripts from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import type { ControlClient } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import { withTimeout } from '../with-timeout.ts';
import { oneLine } from './terminal.ts';

export interface CompletionOptions {
  say: Say;
  /** Asks a running core, but starts none: a key press should not do that. */
  askRunningCore: (ask: (client: ControlClient) => Promise<void>) => Promise<void>;
}

interface Word {
  value: string;
  description: string;
}

/** The shells complete these themselves: what the library's scripts call default and ShellCompDirectiveFilterDirs. */
const directives: Partial<Record<string, number>> = { file: 0, folder: 16 };

/** Nobody waits longer for a completion. */
const limitMs = 1500;

/** Completes everything that has been declared so far, and names that only the core knows. */
export function addCompletion(program: Command, { say, askRunningCore }: CompletionOptions): void {
  const completion = tab(program, { completionCommandName: 'completion' });
  const known = { servers: [] as Word[], programs: [] as Word[] };
  let isForPrograms = false;
  offer('connect', 0, () => known.servers);
  offer('mode', 1, () => (isForPrograms ? known.programs : []));

  /** Words for a command's argument, counted from 0. */
  function offer(command: string, index: number, words: () => readonly Word[]): void {
    const argument = [...(completion.commands.get(command)?.arguments.values() ?? [])][index];
    if (!argument) throw new Error(`${command} has no such argument`);
    argument.handler = (complete) => {
      for (const { value, description } of words()) complete(value, description);
    };
  }

  /** What stands for the value of an option in its usage, such as `file`; empty if there is no such option. */
  function placeholderOf(flag: string | undefined): string {
    const options = program.commands.flatMap((command) => command.options);
    const option = options.find(({ long }) => long !== undefined && long === flag);
    return /<(\w+)>/.exec(option?.flags ?? '')?.[1] ?? '';
  }

  async function learn(client: ControlClient, [command]: readonly string[]): Promise<void> {
    if (command === 'connect') known.servers = serverWords((await client.servers.list()) ?? []);
    if (isForPrograms) known.programs = programWords(await client.routedApps.list());
  }

  const named = (name: string) => program.commands.find((command) => command.name() === name);
  const script = named('completion')?.description(say('command.completion'));
  const [shell] = script?.registeredArguments ?? [];
  if (shell) shell.description = say('command.shellArgument');
  script?.action((wanted: string) => console.log(scriptFor(wanted)));
  named('complete')?.action(async (typed: string[]) => {
    const directive = directives[placeholderOf(typed.at(-2))];
    if (directive !== undefined) return console.log(`:${directive}`);
    isForPrograms = typed[0] === 'mode' && typed[1] === 'apps';
    if (typed[0] === 'connect' || isForPrograms)
      await withTimeout(
        askRunningCore((client) => learn(client, typed)).catch(() => undefined),
        limitMs,
        undefined,
      );
    completion.parse(typed);
  });
}

/** The library only prints it. */
function printedScript(shell: string): string {
  const { log } = console;
  const printed: string[] = [];
  console.log = (text: string) => printed.push(text);
  try {
    completionScripts.setup('waymaker', 'waymaker', shell);
  } finally {
    console.log = log;
  }
  return printed.join('\n');
}

/** What the library's scripts have, and what they have in its place here. */
const mended: Readonly<Record<string, readonly (readonly [theirs: string, ours: string])[]>> = {
  bash: [
    // Bash would run the commands in what has been typed, before Enter.
    ['out=$(eval "$requestComp" 2>/dev/null)', 'out=$(waymaker complete -- "${words[@]:1}" 2>/dev/null)'],
    // Where the package bash-completion is not installed, there is no such function.
    [
      '_get_comp_words_by_ref -n "=:" cur prev words cword',
      'words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]}\n' +
        '    if declare -F _get_comp_words_by_ref >/dev/null; then\n' +
        '        _get_comp_words_by_ref -n "=:" cur prev words cword\n' +
        '    fi',
    ],
    // It may be read again, as by a shell's start file.
    ['readonly ShellCompDirective', 'ShellCompDirective'],
  ],
  // Like bash, but what it runs are also the words before a sign, which stay where they are (symfony/symfony 65818).
  zsh: [
    [
      'out=$(eval ${requestComp} 2>/dev/null)',
      'out=$(waymaker complete -- "${args_to_quote[@]}" 2>/dev/null)',
    ],
    ['lastChar flagPrefix requestComp', 'lastChar requestComp'],
    ['comp lastComp noSpace keepOrder', 'comp lastComp keepOrder'],
    ['local -a completions', 'local -a completions flagPrefix noSpace'],
    ['flagPrefix="-P ${BASH_REMATCH}"', 'flagPrefix=(-P "${BASH_REMATCH}")'],
    [`noSpace="-S ''"`, `noSpace=(-S '')`],
    [
      'eval _describe $keepOrder "completions" completions -Q ${flagPrefix} ${noSpace}',
      '_describe $keepOrder "completions" completions -Q "${flagPrefix[@]}" "${noSpace[@]}"',
    ],
    [`_arguments '*:filename:_files'" \${flagPrefix}"`, '_files "${flagPrefix[@]}"'],
    [`_arguments '*:dirname:_files -/'" \${flagPrefix}"`, '_files -/ "${flagPrefix[@]}"'],
    // Of files with certain endings, which none of ours has.
    ['filteringCmd+=" ${flagPrefix}"', ''],
  ],
};

/** The script for a shell that completes words, and runs nothing of them. */
export function scriptFor(shell: string): string {
  let script = printedScript(shell);
  for (const [theirs, ours] of mended[shell] ?? []) {
    if (!script.includes(theirs)) throw new Error(`the script for ${shell} has no ${theirs}`);
    script = script.replaceAll(theirs, () => ours);
  }
  if (shell !== 'bash') return script;
  // It switches bash's own completion of names off where a file is not meant, but never on.
  return `${script}\ncomplete -o default -F __waymaker_complete waymaker`;
}

/**
 * Words that no shell interprets. The names come from the service, and bash's completion expands what it is offered,
 * even commands.
 */
const isPlain = (word: string) => /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(word);

/** A server's name, or its id if the name has more than one word. */
export const serverWords = (servers: readonly { serverId: string; name: string }[]): Word[] =>
  servers
    .map(({ serverId, name }) => ({ value: isPlain(name) ? name : serverId, description: oneLine(name) }))
    .filter(({ value }) => isPlain(value));

export const programWords = (programs: readonly { id: string; name: string }[]): Word[] =>
  programs
    .map(({ id, name }) => ({ value: id.replace(/\.desktop$/, ''), description: oneLine(name) }))
    .filter(({ value }) => isPlain(value));
