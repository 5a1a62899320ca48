import { init, replayIntegration } from '@sentry/browser';
import { expect, test, vi } from 'vitest';
import { startSentry } from '../../../src/renderer/error-reporting/sentry.ts';

vi.mock('@sentry/browser', async (original) => ({
  ...(await original<object>()),
  init: vi.fn(),
  // The real one needs a page.
  replayIntegration: vi.fn(() => ({ name: 'Replay' })),
}));

test('spec §9: what the pages’ error reporting is told: the sample rates, max replay 1 h, flush 5 s', () => {
  startSentry('http://publickey@127.0.0.1/1', '1.0.0');
  const options = vi.mocked(init).mock.calls[0]?.[0];
  expect(options).toMatchObject({
    environment: 'production',
    tracesSampleRate: 1,
    replaysSessionSampleRate: 0.1,
    replaysOnErrorSampleRate: 1,
  });
  if (typeof options?.integrations !== 'function') throw new Error('no integrations are chosen');
  expect(options.integrations([]).map(({ name }) => name)).toEqual(['BrowserTracing', 'Replay']);
  expect(vi.mocked(replayIntegration).mock.calls).toEqual([
    [expect.objectContaining({ maxReplayDuration: 3_600_000, flushMinDelay: 5000, flushMaxDelay: 5000 })],
  ]);
});
