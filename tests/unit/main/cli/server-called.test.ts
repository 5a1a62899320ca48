import { expect, test } from 'vitest';
import type { UsableServer } from '#shared/control/contract.ts';
import { createSay } from '#shared/texts/say.ts';
import type { Gateway, TunnelState } from '#shared/tunnel/state.ts';
import { CommandProblem } from '../../../../src/main/cli/command-context.ts';
import { isTunnelTo } from '../../../../src/main/cli/commands/is-tunnel-to.ts';
import { serverCalled } from '../../../../src/main/cli/commands/server-called.ts';
import { tableLines } from '../../../../src/main/cli/terminal.ts';
import { connectedTo } from '../support/tunnel-states.ts';

const server = (
  serverId: string,
  name: string,
  address = 'anyconnect://gw.example.net:443',
): UsableServer => ({
  serverId,
  name,
  address,
  host: 'gw.example.net',
  country: null,
  city: null,
  group: 'Group',
  load: null,
  isChosen: false,
  isFavourite: false,
});

/** The id of the server that is found, or the word for why none is. */
function found(given: string, ...names: string[]): string {
  try {
    const listed = names.map((name, index) => server(`id-${index}`, name));
    return serverCalled({ say: createSay('en', 'linux') }, listed, given).serverId;
  } catch (error) {
    if (error instanceof CommandProblem) return error.code;
    throw error;
  }
}

const tokyo = '\u200bTo\u00a0kyo \u202eⅡ\n';

test.each([
  ['accents in another form of Unicode', 'Zu\u0308rich', ['Z\u00fcrich', 'Paris']],
  ['accents in another form of Unicode, there', 'Z\u00fcrich', ['Zu\u0308rich', 'Paris']],
  ['no accents', 'zurich', ['Z\u00fcrich', 'Paris']],
  ['letters of another width', 'ＺＵＲＩＣＨ', ['Z\u00fcrich', 'Paris']],
  ['a space too many', ' New   York ', ['New York', 'Paris']],
  ['a name as the table shows it', tableLines([[tokyo]]).join(), [tokyo, 'Paris']],
  ['an invisible character from a clipboard', '東京\ufeff', ['東京', '东京']],
])('a server is found by %s', (_, given, names) => {
  expect(found(given, ...names)).toBe('id-0');
});

test('a name is told from others by its accents, and without them means none of these', () => {
  expect(found('Zurich', 'Z\u00fcrich', 'Zurich')).toBe('id-1');
  expect(found('Zu\u0308rich', 'Z\u00fcrich', 'Zurich')).toBe('id-0');
  expect(found('zuri\u0301ch', 'Z\u00fcrich', 'Zurich')).toBe('several-servers');
  expect(found('Lyon', 'Z\u00fcrich', 'Zurich')).toBe('no-such-server');
});

test.each<[string, string, TunnelState, boolean]>([
  ['that has it', 'gw.example.net:443', connectedTo({ host: 'gw.example.net', port: 443 }), true],
  [
    'that another port of the host has',
    'gw.example.net:8443',
    connectedTo({ host: 'gw.example.net', port: 443 }),
    false,
  ],
  ['on another host', 'other.example.net:443', connectedTo({ host: 'gw.example.net', port: 443 }), false],
  [
    'of another user',
    'gw.example.net:443',
    { ...connectedTo({ host: 'gw.example.net', port: 443 }), ownedByOther: true },
    false,
  ],
  [
    'that is at another path of the gateway',
    'gw.example.net:443/ops',
    connectedTo({ host: 'gw.example.net', port: 443, path: '/sales' } as Gateway),
    false,
  ],
  [
    'at its path',
    'gw.example.net:443/sales',
    connectedTo({ host: 'gw.example.net', port: 443, path: '/sales' } as Gateway),
    true,
  ],
  ['while there is none', 'gw.example.net:443', { state: 'disconnected' }, false],
])('a tunnel is to the server %s', (_, address, state, expected) => {
  expect(isTunnelTo(server('a', 'A', `anyconnect://${address}`), state)).toBe(expected);
});
