import { describe, expect, test } from 'vitest';
import { languages } from '#shared/entities.ts';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import { createSay } from '#shared/texts/say.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Behaviour } from '../../../../src/main/preferences/behaviour.ts';
import {
  trayView,
  type TrayAction,
  type TrayFacts,
  type TrayItem,
} from '../../../../src/main/tray/tray-view.ts';
import { connectedTo } from '../support/tunnel-states.ts';

const say = createSay('en', 'linux');
const group = { id: 'g', name: 'G', isTrial: false, trialExpiredAt: null, items: [] };
const server = (serverId: string, name = serverId): ListedServer => ({
  serverId,
  name,
  domain: `${serverId}.example`,
  group,
  level: 1,
});
const [berlin, paris, tokyo] = [
  server('berlin', 'Berlin'),
  server('paris', 'Paris'),
  server('tokyo', 'Tokyo'),
];
const gateway = { host: 'berlin.example', port: 443 };

const states = {
  disconnected: { state: 'disconnected' },
  failed: { state: 'disconnected', reason: 'gateway-unreachable' },
  cancelled: { state: 'disconnected', reason: 'sign-in-cancelled' },
  blocked: { state: 'disconnected', reason: 'session-ended', blocked: true },
  connecting: { state: 'connecting', gateway, attempt: 1, phase: 'authenticating' },
  reconnecting: { state: 'connecting', gateway, attempt: 2, phase: 'waiting' },
  connected: connectedTo(gateway),
  impaired: {
    ...connectedTo(gateway),
    problems: ['ipv6-silent', 'nothing-passes'],
  },
  disconnecting: { state: 'disconnecting', then: 'disconnected' },
  invalid: { state: 'invalid', cause: 'helper-absent' },
  invalidBlocked: { state: 'invalid', cause: 'helper-absent', blocked: true },
  engineAbsent: { state: 'invalid', cause: 'engine-absent' },
  engineAbsentBlocked: { state: 'invalid', cause: 'engine-absent', blocked: true },
  unprotected: { state: 'disconnected', reason: 'protection-failed' },
  others: { state: 'connecting', gateway, attempt: 1, phase: 'handshaking', ownedByOther: true },
} as const satisfies Record<string, TunnelState>;

const behaviour: Behaviour = {
  language: 'system',
  theme: 'system',
  onQuit: 'disconnect',
  notifications: true,
  connectAtStart: false,
  welcomed: false,
};

const facts = (change: Partial<TrayFacts> = {}): TrayFacts => ({
  state: states.disconnected,
  isSignedIn: true,
  isPlanKnown: true,
  servers: [berlin, paris, tokyo],
  chosen: berlin,
  recent: [],
  isAsked: false,
  routing: 'global',
  routingModes: ['global'],
  behaviour,
  ...change,
});

/** The menu down to its routing and options, as lines. */
function lines(change: Partial<TrayFacts>): string[] {
  const { menu } = trayView(facts(change), say);
  const firstSubmenu = menu.findIndex(({ kind }) => kind === 'submenu');
  return menu.slice(0, firstSubmenu).map((item) => {
    if (item.kind === 'separator') return '-';
    return item.kind === 'text' ? `(${item.label})` : item.label;
  });
}

function actionOf(change: Partial<TrayFacts>, label: string): TrayAction | undefined {
  const all = (items: TrayItem[]): TrayItem[] =>
    items.flatMap((item) => (item.kind === 'submenu' ? all(item.items) : item));
  const item = all(trayView(facts(change), say).menu).find((one) => 'label' in one && one.label === label);
  return item && 'action' in item ? item.action : undefined;
}

describe('in each state of the tunnel the menu says what is so, and offers what can be done', () => {
  test.each<[keyof typeof states, string[]]>([
    ['disconnected', ['(Not connected)', '-', 'Connect to Berlin', '-']],
    ['failed', ['(Not connected)', '(Connection failed)', '-', 'Connect to Berlin', '-']],
    ['cancelled', ['(Not connected)', '-', 'Connect to Berlin', '-']],
    [
      'blocked',
      ['(Internet blocked)', '(Connection failed)', '-', 'Connect to Berlin', 'Unblock the internet', '-'],
    ],
    ['connecting', ['(Connecting to Berlin…)', '-', 'Cancel', '-']],
    ['reconnecting', ['(Reconnecting…)', '(Berlin)', '-', 'Cancel', '-']],
    ['connected', ['(Connected to Berlin)', '-', 'Disconnect', '-']],
    ['impaired', ['(Connected, but nothing gets through)', '(Berlin)', '-', 'Disconnect', '-']],
    ['disconnecting', ['(Disconnecting…)', '-']],
    ['invalid', ['(Waymaker’s helper is not running)', '-']],
    ['invalidBlocked', ['(Internet blocked)', '-']],
    ['engineAbsent', ['(A program is missing)', '-', 'Connect to Berlin', '-']],
    ['engineAbsentBlocked', ['(Internet blocked)', '-', 'Connect to Berlin', 'Unblock the internet', '-']],
    ['unprotected', ['(Not connected)', '(Your traffic is not protected)', '-', 'Connect to Berlin', '-']],
    ['others', ['(Another user of this computer is using Waymaker)', '-']],
  ])('%s', (name, expected) => {
    expect(lines({ state: states[name] })).toEqual(expected);
  });
});

test('each state has one of the pictures, and those that differ for the user differ', () => {
  const looks = Object.entries(states).map(([name, state]) => [name, trayView(facts({ state }), say).look]);
  expect(Object.fromEntries(looks)).toEqual({
    disconnected: 'off',
    failed: 'off',
    cancelled: 'off',
    blocked: 'blocked',
    connecting: 'working',
    reconnecting: 'working',
    connected: 'on',
    impaired: 'problem',
    disconnecting: 'working',
    invalid: 'problem',
    invalidBlocked: 'blocked',
    engineAbsent: 'problem',
    engineAbsentBlocked: 'blocked',
    unprotected: 'problem',
    others: 'working',
  });
});

test('the tooltip says the state in every language, without holes', () => {
  for (const language of languages) {
    for (const state of Object.values(states)) {
      const { tooltip } = trayView(facts({ state }), createSay(language, 'linux'));
      expect(tooltip).toMatch(/^Waymaker(?:: |：).+/);
      expect(tooltip).not.toContain('{{');
    }
  }
});

describe('what stands in the place of Connect', () => {
  test.each<[string, Partial<TrayFacts>, string[]]>([
    ['signed out', { isSignedIn: false }, ['(Not connected)', '(Signed out)', '-', 'Sign in…', '-']],
    ['nothing chosen', { chosen: undefined }, ['(Not connected)', '-', 'Choose a server…', '-']],
    ['no plan', { chosen: undefined, servers: [] }, ['(Not connected)', '-', 'Choose a plan…', '-']],
    [
      'no answer of the service yet',
      { chosen: undefined, servers: [], isPlanKnown: false },
      ['(Not connected)', '-', 'Choose a server…', '-'],
    ],
    [
      'a gateway that asks',
      { state: states.connecting, isAsked: true },
      ['(Connecting to Berlin…)', '-', 'Answer the server…', 'Cancel', '-'],
    ],
    [
      'signed out while traffic is blocked',
      { isSignedIn: false, state: states.blocked },
      [
        '(Internet blocked)',
        '(Connection failed)',
        '(Signed out)',
        '-',
        'Sign in…',
        'Unblock the internet',
        '-',
      ],
    ],
  ])('%s', (_, change, expected) => {
    expect(lines(change)).toEqual(expected);
  });
});

describe('recent servers', () => {
  const recent = ['berlin', 'gone', 'tokyo', 'paris'];

  test('the latest first, without the one that Connect goes to, and those that may not be used', () => {
    expect(lines({ recent })).toEqual([
      '(Not connected)',
      '-',
      'Connect to Berlin',
      '-',
      '(Recent servers)',
      'Tokyo',
      'Paris',
      '-',
    ]);
    expect(actionOf({ recent }, 'Tokyo')).toEqual({ do: 'connect', serverId: 'tokyo' });
  });

  test('while connected, without the one that the tunnel leads to, whatever is chosen', () => {
    expect(lines({ recent, state: states.connected, chosen: paris }).slice(4)).toEqual([
      '(Recent servers)',
      'Tokyo',
      'Paris',
      '-',
    ]);
  });

  test('at most five', () => {
    const servers = Array.from({ length: 9 }, (_, index) => server(`s${index}`));
    const many = { servers, recent: servers.map(({ serverId }) => serverId) };
    expect(lines(many).slice(5)).toEqual(['s0', 's1', 's2', 's3', 's4', '-']);
  });

  test.each(['disconnecting', 'invalid', 'others'] as const)(
    'none while nothing can be connected: %s',
    (name) => {
      expect(lines({ recent, state: states[name] })).not.toContain('(Recent servers)');
    },
  );
});

test('a name of the service is one short line without anything that could be taken for something else', () => {
  const named = server('x', `Evil\nserver\u202e ${'x'.repeat(100)}`);
  const [, , item] = lines({ servers: [named], chosen: named });
  expect(item).toMatch(/^Connect to Evil server x+…$/);
  expect(item?.length).toBeLessThan(64);
});

test.each([
  ['the flag of England', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} London'],
  ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466} Home'],
  ['letters that are kept apart', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['letters of the right to left', '\u05ea\u05dc \u05d0\u05d1\u05d9\u05d1 3'],
])('a name is told whole with %s', (_, name) => {
  expect(lines({ servers: [server('x', name)], chosen: server('x', name) })[2]).toBe(`Connect to ${name}`);
});

test('a name cannot turn the text around it', () => {
  for (const mark of [
    '\u202e',
    '\u202b',
    '\u2067',
    '\u2066',
    '\u200f',
    '\u061c',
    '\u2028',
    '\ud83d',
    '\u200b',
  ])
    expect(lines({ servers: [server('x', `To${mark}kyo`)], chosen: server('x', `To${mark}kyo`) })[2]).toMatch(
      /^Connect to To ?kyo$/,
    );
});

test('the choice of routing is there where there is one, with what holds marked', () => {
  const routing = (change: Partial<TrayFacts>) =>
    trayView(facts(change), say).menu.find((item) => item.kind === 'submenu' && item.label === 'Routing');
  expect(routing({})).toBeUndefined();
  expect(routing({ routingModes: ['global', 'pac'], isSignedIn: false })).toBeUndefined();
  expect(routing({ routingModes: ['global', 'pac'], routing: 'automatic' })).toEqual({
    kind: 'submenu',
    label: 'Routing',
    items: [
      {
        kind: 'radio',
        label: 'Global',
        isChecked: false,
        action: { do: 'set', change: { routing: 'global' } },
      },
      {
        kind: 'radio',
        label: 'Automatic',
        isChecked: true,
        action: { do: 'set', change: { routing: 'automatic' } },
      },
    ],
  });
});

test('starting at login can be chosen where the system does that', () => {
  const label = 'Open when you sign in to the computer';
  expect(actionOf({}, label)).toBeUndefined();
  for (const openAtLogin of [false, true]) {
    expect(actionOf({ behaviour: { ...behaviour, openAtLogin } }, label)).toEqual({
      do: 'behave',
      change: { openAtLogin: !openAtLogin },
    });
  }
});

test('every item does what it says', () => {
  expect(actionOf({}, 'Connect to Berlin')).toEqual({ do: 'connect', serverId: 'berlin' });
  expect(actionOf({ state: states.connected }, 'Disconnect')).toEqual({ do: 'disconnect' });
  expect(actionOf({ state: states.connecting }, 'Cancel')).toEqual({ do: 'disconnect' });
  expect(actionOf({ state: states.blocked }, 'Unblock the internet')).toEqual({ do: 'disconnect' });
  expect(actionOf({}, 'Open Waymaker')).toEqual({ do: 'open' });
  expect(actionOf({}, 'Quit Waymaker')).toEqual({ do: 'quit' });
  expect(actionOf({}, 'Stay connected after quitting')).toEqual({ do: 'behave', change: { onQuit: 'keep' } });
  expect(actionOf({}, 'Connect when Waymaker starts')).toEqual({
    do: 'behave',
    change: { connectAtStart: true },
  });
  expect(actionOf({}, 'Notifications')).toEqual({ do: 'behave', change: { notifications: false } });
});
