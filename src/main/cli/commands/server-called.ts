import type { UsableServer } from '#shared/control/contract.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode } from '../exit-code.ts';

/** The server with this name or id; without one, the chosen server. */
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
  const wanted = given.toLowerCase();
  const found = listed.filter(({ name, host }) => [name, host].some((one) => one.toLowerCase() === wanted));
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
