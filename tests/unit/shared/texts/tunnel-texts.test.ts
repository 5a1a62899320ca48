import { expect, test } from 'vitest';
import { defaultPreferences, type Preferences } from '#shared/host/preferences.ts';
import { waitingText } from '#shared/texts/tunnel-texts.ts';

const said = (chosen: Partial<Preferences>) => waitingText({ ...defaultPreferences, ...chosen });

test('all traffic waits for a tunnel, unless a part of it has been chosen', () => {
  expect(said({})).toBe('connect.waits');
  expect(said({ routing: 'automatic' })).toBe('connect.waitsPartly');
  expect(said({ routing: 'app', apps: { policy: 'include', ids: ['firefox'] } })).toBe('connect.waitsPartly');
  expect(said({ routing: 'app', apps: { policy: 'include', ids: [] } })).toBe('connect.waits');
  const ofNothing = { policy: 'exclude' as const, countries: [], prefixes: [] };
  expect(said({ routing: 'address', addresses: ofNothing })).toBe('connect.waits');
  const ofOne = { ...ofNothing, prefixes: ['192.0.2.0/24'] };
  expect(said({ routing: 'address', addresses: ofOne })).toBe('connect.waitsPartly');
});
