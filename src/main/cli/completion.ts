import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import type { ControlClient } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import { withTimeout } from '../with-timeout.ts';
import { oneLine } from './terminal.ts';

export interface CompletionOptions {
  say: Say;
  /** Asks a core that is running, and starts none: nobody wants that of a key. */
  askRunningCore: (ask: (client: ControlClient) => Promise<void>) => Promise<void>;
}

interface Word {
  value: string;
  description: string;
}

/** Longer than that nobody waits for a key. */
const limitMs = 1500;

/** Has shells complete all that has been declared by now, and names that only the core knows. */
export function addCompletion(program: Command, { say, askRunningCore }: CompletionOptions): void {
  const completion = tab(program, { completionCommandName: 'completion' });
  const known = { servers: [] as Word[], apps: [] as Word[] };
  let isForApps = false;
  offer('connect', 0, () => known.servers);
  offer('mode', 1, () => (isForApps ? known.apps : []));

  /** Words for a command's argument, counted from 0. */
  function offer(command: string, index: number, words: () => readonly Word[]): void {
    const argument = [...(completion.commands.get(command)?.arguments.values() ?? [])][index];
    if (!argument) throw new Error(`${command} has no such argument`);
    argument.handler = (complete) => {
      for (const { value, description } of words()) complete(value, description);
    };
  }

  async function learn(client: ControlClient, [command]: readonly string[]): Promise<void> {
    if (command === 'connect') known.servers = serverWords((await client.servers.list()) ?? []);
    if (isForApps) known.apps = appWords(await client.routedApps.list());
  }

  const named = (name: string) => program.commands.find((command) => command.name() === name);
  const script = named('completion')?.description(say('command.completion'));
  const [shell] = script?.registeredArguments ?? [];
  if (shell) shell.description = say('command.shellArgument');
  named('complete')?.action(async (typed: string[]) => {
    isForApps = typed[0] === 'mode' && typed[1] === 'apps';
    if (typed[0] === 'connect' || isForApps)
      await withTimeout(
        askRunningCore((client) => learn(client, typed)).catch(() => undefined),
        limitMs,
        undefined,
      );
    completion.parse(typed);
  });
}

/**
 * What no shell takes for anything but a word. The names come from the service, and the completion that bash is given
 * expands what it offers, commands included.
 */
const isPlain = (word: string) => /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(word);

/** A server by its name, or by its id where its name is more than a word. */
export const serverWords = (servers: readonly { serverId: string; name: string }[]): Word[] =>
  servers
    .map(({ serverId, name }) => ({ value: isPlain(name) ? name : serverId, description: oneLine(name) }))
    .filter(({ value }) => isPlain(value));

export const appWords = (apps: readonly { id: string; name: string }[]): Word[] =>
  apps
    .map(({ id, name }) => ({ value: id.replace(/\.desktop$/, ''), description: oneLine(name) }))
    .filter(({ value }) => isPlain(value));
