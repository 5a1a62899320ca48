import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whileVisible } from '../../../../src/renderer/platform/while-visible.ts';
import { testVisibility } from '../support/test-visibility.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a hidden page has no timer, and goes on with what it did when it is visible again', () => {
  const page = testVisibility();
  const action = vi.fn();
  whileVisible({ everyMs: 1000, action, visibility: page });
  vi.advanceTimersByTime(2000);
  expect(action).toHaveBeenCalledTimes(2);
  page.show(false);
  expect(vi.getTimerCount()).toBe(0);
  page.show(true);
  expect(action).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(1000);
  expect(action).toHaveBeenCalledTimes(4);
});

test('a page that is hidden from the start begins once it is visible', () => {
  const page = testVisibility();
  page.show(false);
  const action = vi.fn();
  whileVisible({ everyMs: 1000, action, visibility: page });
  expect(vi.getTimerCount()).toBe(0);
  page.show(true);
  expect(action).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(1);
});

test('what has to be done when it is visible again can be something else', () => {
  const page = testVisibility();
  const action = vi.fn();
  const again = vi.fn();
  whileVisible({ everyMs: 1000, action, again, visibility: page });
  page.show(false);
  page.show(true);
  expect(again).toHaveBeenCalledTimes(1);
  expect(action).not.toHaveBeenCalled();
});

test('no timer and no action remain after the end', () => {
  const page = testVisibility();
  const action = vi.fn();
  const end = whileVisible({ everyMs: 1000, action, visibility: page });
  end();
  page.show(false);
  page.show(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(action).not.toHaveBeenCalled();
});
