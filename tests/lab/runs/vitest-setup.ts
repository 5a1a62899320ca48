import { afterAll, beforeAll, expect, vi } from 'vitest';
import { chargeTo, countThisWorker } from '../../../scripts/tally/file-times.ts';
import { setCurrentTestFile } from './test-file.ts';
import { waitLimit } from './wait-limit.ts';

/**
 * Limits on waiting, worked out for each file, since they follow the machine's load. They are a net under what hangs;
 * waits within a test have limits of their own.
 */
vi.setConfig({
  testTimeout: waitLimit(120_000),
  hookTimeout: waitLimit(120_000),
  expect: { poll: { timeout: waitLimit(20_000) } },
});

// It waits a second by default, and no setting changes that. Files share a process, hence once only.
const adapted = Symbol.for('waymaker.adapted-vitest');
if (!(adapted in vi.waitFor)) {
  const { waitFor } = vi;
  vi.waitFor = Object.assign(
    ((callback, options) => waitFor(callback, options ?? waitLimit(10_000))) as typeof waitFor,
    { [adapted]: true },
  );
  expect.addEqualityTesters([haveSameBytes]);
}

/** Vitest's own comparison makes a text of each byte's index, which takes seconds and hundreds of megabytes. */
function haveSameBytes(one: unknown, other: unknown): boolean | undefined {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return undefined;
  return one.constructor === other.constructor ? Buffer.compare(one, other) === 0 : undefined;
}

beforeAll(() => setCurrentTestFile(expect.getState().testPath ?? ''));

// Before anything that the file sets up, hence after it has been taken down.
countThisWorker();
afterAll(() => chargeTo(expect.getState().testPath ?? 'unknown'));
