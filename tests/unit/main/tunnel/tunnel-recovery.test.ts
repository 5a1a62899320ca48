import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTunnelRecovery } from '../../../../src/main/tunnel/tunnel-recovery.ts';
import { connected, gateway } from '../support/tunnel-states.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Longer than all pauses; timers of other files of this process may go on for ever. */
const longestMs = 60_000;

function setUp() {
  const events: string[] = [];
  const recovery = createTunnelRecovery({
    onRestart: (_gateway, attempt) => events.push(`attempt ${attempt}`),
    connect: ({ host }) => events.push(`connect ${host}`),
    giveUp: () => events.push('give up'),
  });
  const crash = () => {
    recovery.follow({ state: 'invalid', cause: 'helper-absent' });
    recovery.follow({ state: 'disconnected' });
  };
  return { events, recovery, crash };
}

test('crashes in a row are followed by longer and longer pauses, and given up in the end', async () => {
  const { events, recovery, crash } = setUp();
  const pauses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    recovery.follow(connected);
    const before = events.length;
    const start = Date.now();
    crash();
    while (events.at(-1) === events[before]) await vi.advanceTimersByTimeAsync(100);
    pauses.push(Date.now() - start);
    expect(events.slice(before)).toEqual([`attempt ${n + 2}`, 'connect gw.example.net']);
  }
  expect(pauses).toEqual([0, 1000, 2000, 4000, 8000]);
  recovery.follow(connected);
  crash();
  await vi.advanceTimersByTimeAsync(longestMs);
  expect(events.at(-1)).toBe('give up');
  crash();
  await vi.advanceTimersByTimeAsync(longestMs);
  expect(events.at(-1)).toBe('give up');
});

test('a tunnel that was up for a while has its crashes counted from the beginning again', async () => {
  const { events, recovery, crash } = setUp();
  for (let n = 0; n < 10; n += 1) {
    recovery.follow(connected);
    await vi.advanceTimersByTimeAsync(60_000);
    crash();
    expect(events.splice(0)).toEqual(['attempt 2', 'connect gw.example.net']);
  }
});

test('the time that the computer sleeps counts, too', () => {
  const { events, recovery, crash } = setUp();
  for (let n = 0; n < 10; n += 1) {
    recovery.follow(connected);
    // Timers stand still meanwhile.
    vi.setSystemTime(Date.now() + 60_000);
    crash();
    expect(events.splice(0)).toEqual(['attempt 2', 'connect gw.example.net']);
  }
});

test('a helper that says it was restarted, or does not know, is asked again, and one that gave up is not', () => {
  const { events, recovery } = setUp();
  for (const reason of [undefined, 'helper-restarted', 'session-ended'] as const) {
    recovery.want(undefined);
    recovery.follow(connected);
    recovery.follow({ state: 'invalid', cause: 'helper-absent' });
    recovery.follow({ state: 'disconnected', ...(reason && { reason }) });
  }
  expect(events).toEqual([1, 2].flatMap(() => ['attempt 2', 'connect gw.example.net']));
});

test('a pause ends when nothing is wanted any more', async () => {
  const { events, recovery, crash } = setUp();
  recovery.follow(connected);
  crash();
  recovery.follow(connected);
  crash();
  recovery.want(undefined);
  await vi.advanceTimersByTimeAsync(longestMs);
  expect(events).toEqual(['attempt 2', 'connect gw.example.net', 'attempt 3']);
});

test('a helper that goes on by itself, as with the kill switch on, is left alone', () => {
  const { events, recovery } = setUp();
  recovery.follow(connected);
  recovery.follow({ state: 'invalid', cause: 'helper-absent' });
  recovery.follow({ state: 'connecting', gateway, attempt: 1, phase: 'authenticating' });
  recovery.follow({ state: 'disconnected', reason: 'gateway-unreachable' });
  expect(events).toEqual([]);
});

test('a tunnel that was not connected is not connected after a crash', () => {
  const { events, crash } = setUp();
  crash();
  expect(events).toEqual([]);
});
