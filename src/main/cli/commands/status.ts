import { maxClockErrorMs } from '#shared/api/service-clock.ts';
import type { Session } from '#shared/host/common-contract.ts';
import type { Preferences } from '#shared/host/preferences.ts';
import type { ControlClient, UsableServer } from '#shared/control/contract.ts';
import { languageTags } from '#shared/language.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import {
  causeTexts,
  ownedByOther,
  phaseTexts,
  problemText,
  reasonTexts,
  statusText,
  waitingText,
} from '#shared/texts/tunnel-texts.ts';
import { isBlocked, problemsByWeight } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { keptText } from '../kept-text.ts';
import { oneLine, tableLines } from '../terminal.ts';

const routingTexts = {
  global: 'routing.global',
  automatic: 'routing.automatic',
  app: 'routing.app',
  address: 'routing.address',
} as const satisfies Record<Preferences['routing'], TextKey>;

export const routingText = (routing: Preferences['routing']): TextKey => routingTexts[routing];

/** Shows the state; with `isCheck`, only the exit code says it. */
export async function status(context: CommandContext, { isCheck }: { isCheck: boolean }): Promise<ExitCode> {
  const { terminal, say, isJson } = context;
  const { client, core } = await context.core();
  const [tunnel, session, preferences, clockOffset] = await Promise.all([
    client.tunnel.snapshot(),
    client.session.get(),
    client.preferences.get(),
    // An app that was started before an update does not know it.
    client.clock.offset().catch(() => 0),
  ]);
  if (isCheck) return tunnel.state === 'connected' ? exitCode.done : exitCode.notConnected;
  const server = await serverOf(client, tunnel);
  if (isJson) {
    const { routing, killSwitch, localNetwork, settingsDamage } = preferences;
    terminal.out(
      JSON.stringify({
        tunnel,
        server: server && { serverId: server.serverId, name: server.name },
        signedIn: session.signedIn,
        keptIn: session.persistence,
        preferences: { routing, killSwitch, localNetwork },
        ...(settingsDamage && { settingsDamage }),
        ...(isClockWrong(clockOffset) && { clockOffsetSeconds: Math.round(clockOffset / 1000) }),
        core: { kind: core.kind, version: core.version, pid: core.pid },
      }),
    );
    return exitCode.done;
  }
  noteDamage(context, preferences);
  noteClock(context, clockOffset);
  for (const line of stateLines(tunnel, context)) terminal.out(line);
  if (tunnel.state === 'connecting' && !tunnel.ownedByOther) terminal.out(say(waitingText(preferences)));
  const rows = [
    ...(server ? [[say('command.server'), server.name]] : []),
    ...connectionRows(tunnel, context),
    [say('command.routing'), say(routingText(preferences.routing))],
    [say('command.killSwitch'), say(preferences.killSwitch ? 'command.on' : 'command.off')],
    [say('command.account'), say(session.signedIn ? 'command.signedIn' : 'command.signedOut')],
    ...(session.signedIn ? keptRows(session, context) : []),
  ];
  for (const line of tableLines(rows)) terminal.out(line);
  return exitCode.done;
}

function keptRows(session: Session, { say }: CommandContext): string[][] {
  const text = keptText(session);
  return text === undefined ? [] : [[say('command.keptIn'), say(text)]];
}

/** Says that the app's settings were damaged, until the user has decided about the kill switch. */
export function noteDamage({ terminal, say }: CommandContext, { settingsDamage }: Preferences): void {
  if (!settingsDamage) return;
  const parts = ['damage.title', `damage.${settingsDamage}`, 'command.damageSeen'] as const;
  for (const part of parts) terminal.note(say(part));
}

const isClockWrong = (offset: number) => Math.abs(offset) > maxClockErrorMs;

/** Says that this computer's clock is wrong, as long as it is. */
function noteClock({ terminal, say }: CommandContext, offset: number): void {
  if (!isClockWrong(offset)) return;
  terminal.note(say('doctor.clockWrong', { minutes: String(Math.round(Math.abs(offset) / 60_000)) }));
}

/** The server of the tunnel. Without a tunnel, the list is not awaited. */
async function serverOf(client: ControlClient, tunnel: TunnelState): Promise<UsableServer | null> {
  if (!('gateway' in tunnel)) return null;
  const servers = (await client.servers.list()) ?? [];
  const at = servers.filter(({ host }) => host === tunnel.gateway.host);
  return at.find(({ isChosen }) => isChosen) ?? at[0] ?? null;
}

/** What the tunnel is doing, and what the user can do about it. */
export function stateLines(tunnel: TunnelState, { say }: Pick<CommandContext, 'say'>): string[] {
  const lines = [say(statusText(tunnel))];
  if (tunnel.ownedByOther) lines.push(say(ownedByOther.title));
  else if (tunnel.state === 'connecting')
    lines.push(
      say(phaseTexts[tunnel.phase]),
      ...problemsByWeight(tunnel).map((problem) => say(problemText(problem).text)),
    );
  else if (tunnel.state === 'disconnected' && tunnel.reason !== undefined)
    lines.push(...reasonLines(tunnel, { say }));
  else if (isBlocked(tunnel)) lines.push(say('connect.blockedText'));
  if (tunnel.state === 'invalid') lines.push(say(causeTexts[tunnel.cause].text));
  return [...lines, ...goodbyeLines(tunnel, { say })];
}

/** What the gateway has said about it. */
export function goodbyeLines(tunnel: TunnelState, { say }: Pick<CommandContext, 'say'>): string[] {
  if (!('goodbye' in tunnel) || tunnel.goodbye === undefined) return [];
  return [say('command.serverSaid', { text: oneLine(tunnel.goodbye) })];
}

/** Why there is no tunnel. */
export function reasonLines(
  tunnel: Extract<TunnelState, { state: 'disconnected' }>,
  { say }: Pick<CommandContext, 'say'>,
): string[] {
  if (tunnel.reason === undefined) return [];
  const { title, text, whileBlocked } = reasonTexts[tunnel.reason];
  const more = tunnel.blocked ? (whileBlocked ?? text) : text;
  return [say(title), ...(more === undefined ? [] : [say(more)])];
}

function connectionRows(tunnel: TunnelState, context: CommandContext): string[][] {
  if (tunnel.state !== 'connected') return [];
  const { say } = context;
  const { ipv4, ipv6 } = tunnel.addresses;
  const since = new Intl.DateTimeFormat(languageTags[context.language()], {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return [
    [say('command.address'), [ipv4, ipv6].filter((address) => address !== undefined).join(', ')],
    [say('command.since'), since.format(tunnel.since)],
    ...(tunnel.routing.mode === 'pac' && tunnel.routing.proxy
      ? [[say('connect.proxy'), tunnel.routing.proxy.address]]
      : []),
  ];
}
