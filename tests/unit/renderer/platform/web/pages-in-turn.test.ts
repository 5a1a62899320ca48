import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createTokenRefusals } from '#shared/api/token-refusals.ts';
import { pagesInTurn } from '../../../../../src/renderer/platform/web/pages-in-turn.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Another page that takes the browser's lock, until it is told to release it. */
async function holdLock(): Promise<() => void> {
  const [taken, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = navigator.locks.request('waymaker-session', () => {
    taken.resolve();
    return released.promise;
  });
  onTestFinished(async () => {
    released.resolve();
    await ended;
  });
  await taken.promise;
  return released.resolve;
}

/** Waits until this many pages wait for the lock. */
const waiting = (pages: number) =>
  vi.waitFor(async () => expect((await navigator.locks.query()).pending).toHaveLength(pages));

test('a page waits for another one that is signing in, and passes on what comes of its own turn', async () => {
  const release = await holdLock();
  const inTurn = pagesInTurn(navigator.locks);
  const done: string[] = [];
  const first = inTurn(async () => void done.push('first'));
  const second = inTurn(() => Promise.reject(new Error('no network')));
  const told = expect(second).rejects.toThrow('no network');
  await waiting(2);
  expect(done).toEqual([]);
  release();
  await first;
  await told;
  expect(done).toEqual(['first']);
});

// As a tab that the browser has frozen in the midst of a sign-in.
test('a page that another one keeps waiting for longer than a call takes signs in and out without it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  await holdLock();
  let token: string | undefined = 'refused';
  const refusals = createTokenRefusals({
    session: () => ({ deviceId: 'device', token }),
    endSession: async () => void (token = undefined),
    inTurn: pagesInTurn(navigator.locks),
  });
  const refused = refusals.refused();
  const signedIn = refusals.during(async () => (token = `after ${token}`));
  await waiting(2);
  expect(token).toBe('refused');
  vi.advanceTimersByTime(20_000);
  await refused;
  expect(await signedIn).toBe('after undefined');
});

test('a page to which the browser refuses every lock signs in and out one after the other', async () => {
  const locks = { request: () => Promise.reject(new DOMException('refused', 'SecurityError')) };
  const inTurn = pagesInTurn(locks);
  const done: string[] = [];
  const answer = Promise.withResolvers<void>();
  const first = inTurn(async () => {
    await answer.promise;
    done.push('first');
  });
  const second = inTurn(async () => void done.push('second'));
  answer.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(['first', 'second']);
});
