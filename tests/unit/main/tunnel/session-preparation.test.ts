import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createSessionPreparation } from '../../../../src/main/tunnel/session-preparation.ts';

const minute = 60_000;
const gateway = { host: 'gw.example.net', port: 443 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  preparation.close();
  vi.useRealTimers();
});

let preparation: ReturnType<typeof createSessionPreparation>;

function start() {
  const app = {
    address: 'anyconnect://gw.example.net:443' as string | undefined,
    state: { state: 'disconnected' } as TunnelState,
    signedIn: true,
    prepared: [] as string[],
  };
  preparation = createSessionPreparation({
    address: () => app.address,
    state: () => app.state,
    isSignedIn: () => app.signedIn,
    prepare: (address) => app.prepared.push(address),
  });
  return app;
}

test('a session is prepared while a click is likely, and none is for an app that only runs', () => {
  const app = start();
  preparation.check();
  vi.advanceTimersByTime(24 * 60 * minute);
  expect(app.prepared).toEqual([]);
  preparation.userIsHere();
  expect(app.prepared).toHaveLength(1);
  vi.advanceTimersByTime(10 * minute);
  const whileLikely = app.prepared.length;
  expect(whileLikely).toBeGreaterThan(2);
  vi.advanceTimersByTime(24 * 60 * minute);
  expect(app.prepared).toHaveLength(whileLikely);
  preparation.userIsHere();
  expect(app.prepared).toHaveLength(whileLikely + 1);
});

test.each<[string, (app: ReturnType<typeof start>) => void]>([
  ['nobody is signed in', (app) => (app.signedIn = false)],
  ['no server is chosen that may be used', (app) => (app.address = undefined)],
  [
    'there is a tunnel',
    (app) => (app.state = { state: 'connecting', gateway, attempt: 1, phase: 'handshaking' }),
  ],
  ['the tunnel is another user’s', (app) => (app.state = { state: 'disconnected', ownedByOther: true })],
  ['there is no helper', (app) => (app.state = { state: 'invalid', cause: 'helper-absent' })],
])('none is prepared while %s, and one is when that is over', (_, change) => {
  const app = start();
  const before = { ...app };
  change(app);
  preparation.userIsHere();
  vi.advanceTimersByTime(5 * minute);
  expect(app.prepared).toEqual([]);
  Object.assign(app, before);
  preparation.check();
  expect(app.prepared).toEqual([app.address]);
});
