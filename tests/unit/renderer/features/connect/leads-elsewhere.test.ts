import { expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { leadsElsewhere } from '../../../../../src/renderer/features/connect/leads-elsewhere.ts';

const gateway = { host: 'one.example.net', port: 443 };
const [one, two] = [{ domain: 'one.example.net' }, { domain: 'two.example.net' }];
const connecting = { state: 'connecting', gateway, attempt: 1, phase: 'handshaking' } as const;
const connected = {
  state: 'connected',
  gateway,
  since: 1,
  addresses: {},
  transport: 'tls',
  routing: { mode: 'global', localNetwork: true },
} as const;

test.each<[string, TunnelState | undefined, boolean]>([
  ['is up', connected, true],
  ['is being made', connecting, true],
  ['is being made again', { ...connecting, attempt: 7, phase: 'waiting' }, true],
  ['belongs to another user', { ...connecting, ownedByOther: true }, false],
  ['is there no longer', { state: 'disconnecting', then: 'disconnected' }, false],
  ['is not there', { state: 'disconnected' }, false],
  ['is not known', undefined, false],
])('a server that is chosen replaces that of a tunnel that %s: %s', (_, state, expected) => {
  expect(leadsElsewhere(state, two)).toBe(expected);
  expect(leadsElsewhere(state, one)).toBe(false);
});

test('the same holds for servers that share a gateway, if they begin at other paths of it', () => {
  const at = { ...connected, gateway: { ...gateway, path: '/sales' } };
  expect(leadsElsewhere(at, { ...one, path: '/ops' })).toBe(true);
  expect(leadsElsewhere(at, one)).toBe(true);
  expect(leadsElsewhere(at, { ...one, path: '/sales' })).toBe(false);
});
