import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createConnectionDeadline } from '../../../../helper/tunnel/deadline.ts';

const minute = 60_000;
const hour = 60 * minute;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Clocks that go with the fake timers, and can be moved without them. */
function setUp() {
  const moved = { wall: 0, boot: 0 };
  const reached = vi.fn<(reason: string) => void>();
  const deadline = createConnectionDeadline(reached, {
    wall: () => Date.now() + moved.wall,
    boot: () => Date.now() + moved.boot,
  });
  return { deadline, reached, moved };
}

test('a deadline is reached once, when its time has come', async () => {
  const { deadline, reached } = setUp();
  deadline.set({ at: 3 * hour, reason: 'trial-ended' });
  await vi.advanceTimersByTimeAsync(3 * hour - 1);
  expect(reached).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(reached.mock.calls).toEqual([['trial-ended']]);
  await vi.advanceTimersByTimeAsync(hour);
  expect(reached).toHaveBeenCalledOnce();
});

test('a deadline is reached at once where its time has passed already', () => {
  const { deadline, reached, moved } = setUp();
  moved.wall = hour;
  deadline.set({ at: minute, reason: 'plan-ended' });
  expect(reached.mock.calls).toEqual([['plan-ended']]);
});

test('a deadline can be moved and taken away', async () => {
  const { deadline, reached } = setUp();
  deadline.set({ at: hour, reason: 'trial-ended' });
  deadline.set({ at: 2 * hour, reason: 'plan-ended' });
  await vi.advanceTimersByTimeAsync(2 * hour - 1);
  expect(reached).not.toHaveBeenCalled();
  deadline.set(undefined);
  await vi.advanceTimersByTimeAsync(hour);
  expect(reached).not.toHaveBeenCalled();
});

test('a deadline is reached within a minute after a suspension, in which timers stand still', async () => {
  const { deadline, reached, moved } = setUp();
  deadline.set({ at: 3 * hour, reason: 'trial-ended' });
  await vi.advanceTimersByTimeAsync(minute / 2);
  moved.wall = moved.boot = 8 * hour;
  await vi.advanceTimersByTimeAsync(minute);
  expect(reached).toHaveBeenCalledOnce();
});

test.each([-24, 24])(
  'a clock that is set by %i hours neither puts it off nor brings it on',
  async (hours) => {
    const { deadline, reached, moved } = setUp();
    deadline.set({ at: hour, reason: 'trial-ended' });
    moved.wall = hours * hour;
    await vi.advanceTimersByTimeAsync(hour - 1);
    expect(reached).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(reached).toHaveBeenCalledOnce();
  },
);
