import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startOpeningDeadline } from '../../../../helper/proxy/opening-deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function clientOf(): { client: Socket; destroy: ReturnType<typeof vi.fn> } {
  const destroy = vi.fn();
  return { client: Object.assign(new EventEmitter(), { destroy }) as unknown as Socket, destroy };
}

test('a client that says nothing for 30 seconds is closed', () => {
  const { client, destroy } = clientOf();
  const { signal } = startOpeningDeadline(client);
  vi.advanceTimersByTime(29_999);
  expect([destroy.mock.calls.length, signal.aborted]).toEqual([0, false]);
  vi.advanceTimersByTime(1);
  expect([destroy.mock.calls.length, signal.aborted]).toEqual([1, true]);
});

test('a client that waits for its destination is not closed, but the destination is given up', () => {
  const { client, destroy } = clientOf();
  const opening = startOpeningDeadline(client);
  opening.requestRead();
  vi.advanceTimersByTime(30_000);
  expect([destroy.mock.calls.length, opening.signal.aborted]).toEqual([0, true]);
});

test('a client that goes away takes the attempt with it', () => {
  const { client } = clientOf();
  const { signal } = startOpeningDeadline(client);
  client.emit('close');
  expect(signal.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('when it has got there, nothing is ended any more', () => {
  const { client, destroy } = clientOf();
  const opening = startOpeningDeadline(client);
  opening.finish();
  client.emit('close');
  vi.advanceTimersByTime(60_000);
  expect([destroy.mock.calls.length, opening.signal.aborted]).toEqual([0, false]);
});
