import type { Preferences } from '#shared/host/preferences.ts';
import { serverAt, type ListedServer, type SignInPlace } from '#shared/plan/usable-group.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import type { Say } from '#shared/texts/say.ts';
import { reasonTexts, statusText } from '#shared/texts/tunnel-texts.ts';
import { isBlocked, mayBeGone, problemsByWeight } from '#shared/tunnel/look.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { Behaviour } from '../preferences/behaviour.ts';
import { shownName } from './shown-name.ts';
import { trayLook, type TrayLook } from './tray-look.ts';

/** The facts that the tray displays, from the core. */
export interface TrayFacts {
  state: TunnelState;
  isSignedIn: boolean;
  /** Whether the service has listed the servers. */
  isPlanKnown: boolean;
  /** The servers that may be used now. */
  servers: readonly ListedServer[];
  /** The server that Connect uses. */
  chosen: ListedServer | undefined;
  /** Ids of servers that were connected to, newest first. */
  recent: readonly string[];
  /** A gateway waits for an answer from the user. */
  isAsked: boolean;
  routing: Preferences['routing'];
  routingModes: readonly Routing['mode'][];
  behaviour: Behaviour;
  /** A newer release of the app. */
  update?: string | undefined;
}

/** What a click on an item does. */
export type TrayAction =
  | { do: 'connect'; serverId: string }
  | { do: 'disconnect' }
  | { do: 'set'; change: Partial<Preferences> }
  | { do: 'behave'; change: Partial<Behaviour> }
  | { do: 'open' }
  | { do: 'quit' };

export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'separator' }
  | { kind: 'action'; label: string; action: TrayAction }
  | { kind: 'radio' | 'checkbox'; label: string; isChecked: boolean; action: TrayAction }
  | { kind: 'submenu'; label: string; items: TrayItem[] };

export interface TrayView {
  look: TrayLook;
  tooltip: string;
  menu: TrayItem[];
}

const maxRecent = 5;

export function trayView(facts: TrayFacts, say: Say): TrayView {
  const [line, ...more] = stateLines(facts, say);
  const sections = [
    [line, ...more].map((label): TrayItem => ({ kind: 'text', label })),
    commands(facts, say),
    recentServers(facts, say),
    [...routingChoice(facts, say), appOptions(facts, say)],
    [
      ...(facts.update === undefined ? [] : [open(say('notice.update', { version: facts.update }))]),
      { kind: 'action', label: say('tray.open'), action: { do: 'open' } },
      { kind: 'action', label: say('tray.quit'), action: { do: 'quit' } },
    ] satisfies TrayItem[],
  ];
  return {
    look: trayLook(facts.state),
    tooltip: say('tray.tooltip', { state: line }),
    menu: sections
      .filter((section) => section.length > 0)
      .flatMap((section, index): TrayItem[] => (index === 0 ? section : [{ kind: 'separator' }, ...section])),
  };
}

/** The state in one line, and the reason in another if there is one. */
function stateLines({ state, isSignedIn, servers, chosen }: TrayFacts, say: Say): [string, ...string[]] {
  const nameOf = (gateway: SignInPlace) =>
    shownName(serverAt(gateway, servers, chosen)?.name ?? gateway.host);
  const signedOut = isSignedIn ? [] : [say('tray.signedOut')];
  if (state.ownedByOther) return [say('connect.ownedByOther')];
  if (isBlocked(state)) return [say('connect.blocked'), ...why(state, say), ...signedOut];
  switch (state.state) {
    case 'disconnected':
      return [say(statusText(state)), ...why(state, say), ...signedOut];
    case 'connecting':
      return state.attempt > 1
        ? [say(statusText(state)), nameOf(state.gateway)]
        : [say('tray.connectingTo', { server: nameOf(state.gateway) })];
    case 'connected':
      return problemsByWeight(state).length > 0
        ? [say(statusText(state)), nameOf(state.gateway)]
        : [say('tray.connectedTo', { server: nameOf(state.gateway) })];
    case 'disconnecting':
    case 'invalid':
      return [say(statusText(state))];
    default:
      return state satisfies never;
  }
}

/** If the user caused it, no reason is shown. */
function why(state: TunnelState, say: Say): string[] {
  if (state.state !== 'disconnected' || state.reason === undefined) return [];
  const { title, tone } = reasonTexts[state.reason];
  return tone === 'info' ? [] : [say(title)];
}

function commands(facts: TrayFacts, say: Say): TrayItem[] {
  const { state, isAsked } = facts;
  if (state.ownedByOther) return [];
  const ask: TrayItem[] = isAsked ? [open(say('tray.answer'))] : [];
  const end = (label: string): TrayItem => ({ kind: 'action', label, action: { do: 'disconnect' } });
  const beginOrUnblock = (blocked: boolean | undefined) => [
    ...begin(facts, say),
    ...(blocked ? [end(say('connect.unblock'))] : []),
  ];
  switch (state.state) {
    case 'disconnected':
      return beginOrUnblock(state.blocked);
    case 'invalid':
      // Without a helper, nothing can be asked.
      return mayBeGone(state.cause) ? beginOrUnblock(state.blocked) : [];
    case 'connecting':
      return [...ask, end(say('connect.cancel'))];
    case 'connected':
      return [...ask, end(say('connect.disconnect'))];
    case 'disconnecting':
      return [];
    default:
      return state satisfies never;
  }
}

function begin({ isSignedIn, isPlanKnown, servers, chosen }: TrayFacts, say: Say): TrayItem[] {
  if (!isSignedIn) return [open(say('tray.signIn'))];
  if (chosen) return [connectTo(chosen, say('tray.connectTo', { server: shownName(chosen.name) }))];
  if (servers.length > 0 || !isPlanKnown) return [open(say('tray.chooseServer'))];
  return [open(say('tray.choosePlan'))];
}

/** Other recent servers, for connecting or switching without opening the window. */
function recentServers({ state, isSignedIn, servers, chosen, recent }: TrayFacts, say: Say): TrayItem[] {
  const canConnect = ['disconnected', 'connecting', 'connected'].includes(state.state);
  if (!isSignedIn || !canConnect || state.ownedByOther) return [];
  const current = 'gateway' in state ? serverAt(state.gateway, servers, chosen) : chosen;
  const items = recent
    .filter((id) => id !== current?.serverId)
    .flatMap((id) => servers.find(({ serverId }) => serverId === id) ?? [])
    .slice(0, maxRecent)
    .map((server) => connectTo(server, shownName(server.name)));
  return items.length > 0 ? [{ kind: 'text', label: say('tray.recent') }, ...items] : [];
}

function routingChoice({ isSignedIn, routing, routingModes }: TrayFacts, say: Say): TrayItem[] {
  if (!isSignedIn || !routingModes.includes('pac')) return [];
  const choice = (value: Preferences['routing'], label: string): TrayItem => ({
    kind: 'radio',
    label,
    isChecked: routing === value,
    action: { do: 'set', change: { routing: value } },
  });
  const items = [
    choice('global', say('routing.global')),
    choice('automatic', say('routing.automatic')),
    // The programs are chosen in the settings.
    ...(routing === 'app' ? [choice('app', say('routing.app'))] : []),
    ...(routing === 'address' ? [choice('address', say('routing.address'))] : []),
  ];
  return [{ kind: 'submenu', label: say('routing.title'), items }];
}

function appOptions({ behaviour }: TrayFacts, say: Say): TrayItem {
  const { onQuit, notifications, connectAtStart, openAtLogin } = behaviour;
  const option = (text: TextKey, isChecked: boolean, change: Partial<Behaviour>): TrayItem => ({
    kind: 'checkbox',
    label: say(text),
    isChecked,
    action: { do: 'behave', change },
  });
  const items = [
    ...(openAtLogin === undefined
      ? []
      : [option('settings.openAtLogin', openAtLogin, { openAtLogin: !openAtLogin })]),
    option('settings.connectAtStart', connectAtStart, { connectAtStart: !connectAtStart }),
    option('settings.stayConnected', onQuit === 'keep', {
      onQuit: onQuit === 'keep' ? 'disconnect' : 'keep',
    }),
    option('settings.notifications', notifications, { notifications: !notifications }),
  ];
  return { kind: 'submenu', label: say('tray.options'), items };
}

const open = (label: string): TrayItem => ({ kind: 'action', label, action: { do: 'open' } });
const connectTo = ({ serverId }: ListedServer, label: string): TrayItem => ({
  kind: 'action',
  label,
  action: { do: 'connect', serverId },
});
