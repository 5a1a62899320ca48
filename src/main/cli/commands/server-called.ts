import type { UsableServer } from '#shared/control/contract.ts';
import { foldText } from '#shared/fold-text.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode } from '../exit-code.ts';
import { oneLine } from '../terminal.ts';

/** As the table of servers shows a name, in any case. */
const asShown = (text: string) => oneLine(text).trim().toLowerCase();
/** The same without accents, and in any width. */
const asSearched = (text: string) => foldText(asShown(text));

/**
 * The server with this name or id; without one, the chosen server. Names are compared as people read them: those from
 * the service can have characters that nobody sees, and terminals and clipboards write accents in their own way.
 */
export function serverCalled(
  { say }: Pick<CommandContext, 'say'>,
  listed: readonly UsableServer[],
  given: string | undefined,
): UsableServer {
  if (given === undefined) {
    const chosen = listed.find(({ isChosen }) => isChosen);
    if (chosen) return chosen;
    throw new CommandProblem(exitCode.refused, 'no-server', say('command.noServers'));
  }
  const byId = listed.find(({ serverId }) => serverId === given);
  if (byId) return byId;
  const called = (read: (text: string) => string) =>
    listed.filter(({ name, host }) => [name, host].some((one) => read(one) === read(given)));
  const shown = called(asShown);
  const found = shown.length > 0 ? shown : called(asSearched);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only)
    throw new CommandProblem(
      exitCode.refused,
      'no-such-server',
      say('command.noSuchServer', { server: given }),
    );
  const ids = found.map(({ serverId }) => serverId).join(', ');
  throw new CommandProblem(
    exitCode.usage,
    'several-servers',
    say('command.severalServers', { server: given, ids }),
  );
}
