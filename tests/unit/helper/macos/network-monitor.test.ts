import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../../helper/log.ts';
import type { RouteCalls } from '../../../../helper/macos/calls/routing-socket.ts';
import { createNetworkMonitor } from '../../../../helper/macos/routing/network-monitor.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Routing sockets that the test speaks for; each can fail to open. */
function createSockets() {
  const open: { change: () => void; fail: (error: Error) => void }[] = [];
  const sockets = { opened: 0, isBroken: false, open };
  const calls: RouteCalls = {
    table: () => [],
    add: () => 'added',
    remove: () => 'removed',
    watch(onChange, onError) {
      if (sockets.isBroken) throw new Error('no sockets');
      sockets.opened += 1;
      const socket = { change: onChange, fail: onError };
      open.push(socket);
      return () => void open.splice(open.indexOf(socket), 1);
    },
  };
  const lines: string[] = [];
  const monitor = createNetworkMonitor(
    calls,
    createLog((line) => lines.push(line)),
  );
  return { sockets, monitor, lines };
}

test('a burst of messages is reported once to each subscriber, and one socket serves them all', () => {
  const { sockets, monitor } = createSockets();
  const told = [0, 0];
  const stops = told.map((_, index) => monitor.subscribe(() => void (told[index] = (told[index] ?? 0) + 1)));
  expect(sockets.opened).toBe(1);
  for (let message = 0; message < 50; message += 1) sockets.open[0]?.change();
  vi.advanceTimersByTime(200);
  expect(told).toEqual([1, 1]);
  stops[0]?.();
  sockets.open[0]?.change();
  vi.advanceTimersByTime(200);
  expect(told).toEqual([1, 2]);
  stops[1]?.();
  expect(sockets.open).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([1, 2]);
});

test('a routing socket that ends is opened again, and what it missed is read', () => {
  const { sockets, monitor, lines } = createSockets();
  let told = 0;
  const stop = monitor.subscribe(() => void (told += 1));
  sockets.isBroken = true;
  const [socket] = sockets.open.splice(0);
  socket?.fail(new Error('it has ended'));
  vi.advanceTimersByTime(500);
  expect(told).toBe(1);
  vi.advanceTimersByTime(2_000);
  expect(sockets.opened).toBe(1);
  sockets.isBroken = false;
  vi.advanceTimersByTime(1_500);
  expect(sockets.opened).toBe(2);
  expect(lines.join('')).toContain('it has ended');
  const before = told;
  sockets.open[0]?.change();
  vi.advanceTimersByTime(200);
  expect(told).toBe(before + 1);
  stop();
});

test('sleep, which no message reports, is noticed by the clock', () => {
  const { monitor, lines } = createSockets();
  let told = 0;
  const stop = monitor.subscribe(() => void (told += 1));
  vi.advanceTimersByTime(16_000);
  // Messages may have been lost, too.
  expect(told).toBe(1);
  expect(lines).toEqual([]);
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(15_000);
  expect(told).toBe(2);
  expect(lines.join('')).toContain('the machine has slept');
  stop();
});
