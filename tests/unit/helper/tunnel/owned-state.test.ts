import { expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createOwnedState } from '../../../../helper/tunnel/owned-state.ts';

const connected: TunnelState = {
  state: 'connected',
  gateway: { host: 'gateway.example.net', port: 443 },
  since: 1,
  addresses: { ipv4: '198.51.100.2' },
  transport: 'dtls',
  routing: { mode: 'global', localNetwork: false },
  terms: { message: 'Your account ends on Friday.' },
};

test('what a gateway tells its user is seen by them and by administrators, and by nobody else', () => {
  const owned = createOwnedState();
  owned.owner = '1000';
  owned.set(connected);
  const { terms, ...rest } = connected;
  expect(owned.seenBy({ user: '1000', isAdministrator: false })).toEqual({ ...rest, terms });
  expect(owned.seenBy({ user: '0', isAdministrator: true })).toMatchObject({ terms });
  expect(owned.seenBy({ user: '1001', isAdministrator: false })).toEqual({ ...rest, ownedByOther: true });
});
