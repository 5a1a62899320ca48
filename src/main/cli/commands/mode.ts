import type { ControlClient } from '#shared/control/contract.ts';
import type { Preferences } from '#shared/host/preferences.ts';
import { noListsText } from '#shared/texts/no-lists-text.ts';
import { canonicalPrefix } from '#shared/tunnel/prefix.ts';
import { CommandProblem, type CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { tableLines } from '../terminal.ts';
import { noteDamage, routingText } from './status.ts';

export const modeNames = ['global', 'auto', 'apps', 'ip'] as const;
export type ModeName = (typeof modeNames)[number];

export interface ModeChange {
  mode?: ModeName | undefined;
  /** Programs, or countries and prefixes. */
  items: readonly string[];
  /** Whether everything except the items goes through the tunnel. */
  isExcept: boolean;
  killSwitch?: boolean | undefined;
  localNetwork?: boolean | undefined;
  allowIncoming?: boolean | undefined;
}

/** Shows or changes how traffic is routed; a tunnel that is up stays up. */
export async function mode(context: CommandContext, given: ModeChange): Promise<ExitCode> {
  const { say } = context;
  const { client } = await context.core();
  // The choices depend on the helper, about which more is known now than at the start.
  await client.tunnel.snapshot();
  const before = await client.preferences.get();
  const change: Partial<Preferences> = {
    ...(await routingChange(context, client, before, given)),
    ...(given.killSwitch !== undefined && { killSwitch: given.killSwitch, settingsDamage: null }),
    ...(given.localNetwork !== undefined && { localNetwork: given.localNetwork }),
    ...(given.allowIncoming !== undefined && { allowIncoming: given.allowIncoming }),
  };
  if (Object.keys(change).length > 0) {
    const reply = await client.preferences.set(change);
    if (!reply.ok) {
      if (reply.error === 'no-lists' && reply.failure.kind === 'unauthorized')
        throw new CommandProblem(exitCode.notSignedIn, 'not-signed-in', say('command.notSignedIn'));
      const text =
        reply.error === 'no-lists' ? noListsText(reply.failure, change.routing, say) : say('error.setting');
      throw new CommandProblem(exitCode.failed, reply.error, text);
    }
  }
  show(context, await client.preferences.get());
  return exitCode.done;
}

async function routingChange(
  context: CommandContext,
  client: ControlClient,
  before: Preferences,
  { mode: wanted, items, isExcept }: ModeChange,
): Promise<Partial<Preferences>> {
  const { say } = context;
  const policy = isExcept ? 'exclude' : 'include';
  const unsupported = () =>
    new CommandProblem(exitCode.unavailable, 'unsupported', say('command.modeUnsupported'));
  // It would be as if it had not been written, and others would be routed than the user believes.
  if (isExcept && items.length === 0)
    throw new CommandProblem(exitCode.usage, 'usage', say('command.exceptAlone'));
  if (items.length > 0 && wanted !== 'ip' && wanted !== 'apps')
    throw new CommandProblem(exitCode.usage, 'usage', say('command.tooMany'));
  switch (wanted) {
    case undefined:
      return {};
    case 'global':
      return { routing: 'global' };
    case 'auto':
      return { routing: 'automatic' };
    case 'ip': {
      if (!before.addresses) throw unsupported();
      if (items.length === 0) return { routing: 'address' };
      return { routing: 'address', addresses: { policy, ...readAddresses(context, items) } };
    }
    case 'apps': {
      if (!before.apps) throw unsupported();
      if (items.length === 0) return { routing: 'app' };
      return { routing: 'app', apps: { policy, ids: await readPrograms(context, client, items) } };
    }
    default:
      return wanted satisfies never;
  }
}

/** Two-letter countries, prefixes and addresses. */
function readAddresses(
  { say }: CommandContext,
  items: readonly string[],
): { countries: string[]; prefixes: string[] } {
  const countries: string[] = [];
  const prefixes: string[] = [];
  for (const item of items) {
    const prefix = canonicalPrefix(item);
    if (/^[a-z]{2}$/i.test(item)) countries.push(item.toLowerCase());
    // A prefix with all addresses is refused: global routing is for that.
    else if (prefix !== undefined && !prefix.endsWith('/0')) prefixes.push(prefix);
    else throw new CommandProblem(exitCode.usage, 'bad-address', say('command.badAddress', { word: item }));
  }
  return { countries, prefixes };
}

/** By the names in menus, or by ids. */
async function readPrograms(
  { say }: CommandContext,
  client: ControlClient,
  items: readonly string[],
): Promise<string[]> {
  const installed = await client.routedApps.list();
  return items.map((item) => {
    const wanted = item.toLowerCase();
    const found = installed.find(
      ({ id, name }) => id === item || id === `${item}.desktop` || name.toLowerCase() === wanted,
    );
    if (found) return found.id;
    throw new CommandProblem(exitCode.usage, 'no-such-app', say('command.noSuchApp', { app: item }));
  });
}

function show(context: CommandContext, now: Preferences): void {
  const { terminal, say, isJson } = context;
  const { routing, killSwitch, localNetwork, allowIncoming, addresses, apps: programs, settingsDamage } = now;
  if (isJson) {
    const routed = {
      ...(routing === 'address' && addresses && { addresses }),
      ...(routing === 'app' && programs && { apps: programs }),
    };
    const damage = settingsDamage && { settingsDamage };
    terminal.out(JSON.stringify({ routing, ...routed, killSwitch, localNetwork, allowIncoming, ...damage }));
    return;
  }
  noteDamage(context, now);
  const onOff = (isOn: boolean) => say(isOn ? 'command.on' : 'command.off');
  const choice = choiceOf(now);
  const rows = [
    [say('command.routing'), say(routingText(routing))],
    ...(choice && choice.items.length > 0
      ? [[say(`routing.${choice.policy}`), choice.items.join(', ')]]
      : []),
    [say('command.killSwitch'), onOff(killSwitch)],
    [say('command.localNetwork'), onOff(localNetwork)],
    ...(allowIncoming === undefined ? [] : [[say('protection.allowIncoming'), onOff(allowIncoming)]]),
  ];
  for (const line of tableLines(rows)) terminal.out(line);
  if (choice?.items.length === 0) terminal.out(say('command.nothingChosen'));
}

function choiceOf({ routing, addresses, apps: programs }: Preferences) {
  if (routing === 'address' && addresses)
    return { policy: addresses.policy, items: [...addresses.countries, ...addresses.prefixes] };
  return routing === 'app' && programs ? { policy: programs.policy, items: programs.ids } : undefined;
}

/** Lists the programs that can be chosen for routing by program. */
export async function listPrograms(context: CommandContext): Promise<ExitCode> {
  const { terminal, say, isJson } = context;
  const { client } = await context.core();
  const programs = (await client.routedApps.list()).map(({ id, name }) => ({ id, name }));
  if (isJson) terminal.out(JSON.stringify({ apps: programs }));
  else if (programs.length === 0) terminal.note(say('routing.appsEmptyText'));
  else for (const line of tableLines(programs.map(({ id, name }) => [name, id]))) terminal.out(line);
  return exitCode.done;
}
