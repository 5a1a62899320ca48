import { expect, test } from 'vitest';
import { watchIdle } from '../../../../helper/tunnel/idle-watch.ts';

const hour = 3_600_000;
const idleMs = 400;

/** A session that nobody uses, on a computer whose clocks the test sets, and what its user has been told. */
function unusedSession() {
  const told: (number | undefined)[] = [];
  const clock = { wall: Date.UTC(2026, 10, 27, 12), boot: 0 };
  const ending = new AbortController();
  let looks = 0;
  watchIdle({
    idleMs,
    used() {
      looks += 1;
      return 0;
    },
    onIdle: (endsAt) => told.push(endsAt),
    signal: ending.signal,
    clocks: { wall: () => clock.wall, boot: () => clock.boot },
  }).catch(() => undefined);
  return {
    told,
    clock,
    async lookedAtAgain() {
      const before = looks;
      await expect.poll(() => looks).toBeGreaterThan(before + 2);
    },
    [Symbol.dispose]: () => ending.abort(),
  };
}

test('a session that nobody uses is said to end in the second half of a short limit', async () => {
  using session = unusedSession();
  session.clock.boot += 150;
  await session.lookedAtAgain();
  expect(session.told).toEqual([]);
  session.clock.boot += 100;
  session.clock.wall += 250;
  await session.lookedAtAgain();
  expect(session.told.at(-1)).toBe(session.clock.wall + 150);
});

test.each([
  ['three hours ahead', 3 * hour],
  ['a year back', -365 * 24 * hour],
])('a clock that is set %s neither hastens the warning nor holds it up', async (_, by) => {
  using session = unusedSession();
  session.clock.wall += by;
  await session.lookedAtAgain();
  expect(session.told).toEqual([]);
  session.clock.boot += 250;
  await session.lookedAtAgain();
  expect(session.told.at(-1)).toBe(session.clock.wall + 150);
});
