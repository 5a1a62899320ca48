import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReplayWindow } from '#node/anyconnect/dtls/replay-window.ts';

/** As the handshake's number grows, numbers come in order, late, again, and far ahead. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -40, max: 40 }) },
    { weight: 2, arbitrary: fc.integer({ min: -2_100, max: 2_100 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 ** 40 }) },
  ),
  { maxLength: 400 },
);

test('a number is accepted once, and never after it has become too old', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const window = createReplayWindow();
      const seen = new Set<number>();
      let newest = -1;
      let number = 0;
      for (const step of all) {
        number = Math.min(Math.max(0, newest + step), 2 ** 47);
        const isFresh = window.isFresh(number);
        if (seen.has(number)) expect(isFresh).toBe(false);
        else if (number > newest - 1_900) expect(isFresh).toBe(true);
        else if (number < newest - 2_048) expect(isFresh).toBe(false);
        if (!isFresh) continue;
        window.accept(number);
        seen.add(number);
        newest = Math.max(newest, number);
      }
    }),
    { numRuns: 300 },
  );
});

// algesten/dimpl issue 78: a window that moves before a record is verified lets anybody stop the traffic.
test('asking about a number does not move the window', () => {
  const window = createReplayWindow();
  window.accept(0);
  expect(window.isFresh(2 ** 40)).toBe(true);
  expect(window.isFresh(1)).toBe(true);
});

// mullvad/gotatun pull request 146: a window that is too small takes reordered packets for replays.
test('a datagram may be overtaken by 1,900 others', () => {
  const window = createReplayWindow();
  for (let number = 1; number <= 1_900; number += 1) window.accept(number);
  expect(window.isFresh(0)).toBe(true);
});
