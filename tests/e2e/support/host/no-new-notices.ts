import { expect } from 'playwright/test';
import type { Surroundings } from './desktop-app.ts';
import { notificationTitles } from './surroundings-of.ts';

/** See `justDoneMs` of the notices. */
const justDoneMs = 10_000;

/**
 * Nobody is told that they are connected who has just clicked for it: the titles of all notifications are those
 * `before`. A busy machine may take so long that its user looks elsewhere by then, and is told. Returns the titles.
 * `clickedAt`: as performance.now() tells it.
 */
export async function expectNoNewNotices(
  desktop: Surroundings,
  { clickedAt, server, before = [] }: { clickedAt: number; server: string; before?: readonly string[] },
): Promise<string[]> {
  const titles = await notificationTitles(desktop);
  const isLate = performance.now() - clickedAt > justDoneMs;
  const possible = [before, ...(isLate ? [[...before, `Connected to ${server}`]] : [])];
  expect(possible, 'what the user has just done').toContainEqual(titles);
  return titles;
}
