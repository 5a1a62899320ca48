import { init, makeFetchTransport, replayIntegration } from '@sentry/browser';
import { expect, test, vi } from 'vitest';
import { startSentry } from '../../../../src/renderer/error-reporting/sentry.ts';

vi.mock('@sentry/browser', async (original) => ({
  ...(await original<object>()),
  init: vi.fn(),
  makeFetchTransport: vi.fn(),
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

const header = { event_id: '9000b10cbce54c2cb96d0dd804e5c772', sent_at: '2026-01-01T00:00:00.000Z' };

test('secrets are removed from what the pages report, and what is on the screen is masked', async () => {
  const send = vi.fn();
  vi.mocked(makeFetchTransport).mockReturnValue({ send, flush: vi.fn() });
  startSentry('http://publickey@127.0.0.1/1', '1.0.0');
  const options = vi.mocked(init).mock.lastCall?.[0];
  await options
    ?.transport?.({ url: '', recordDroppedEvent: vi.fn() })
    .send([header, [[{ type: 'event' }, { message: 'of a@example.com' }]]]);
  expect(send).toHaveBeenCalledExactlyOnceWith([header, [[{ type: 'event' }, { message: 'of [scrubbed]' }]]]);
  if (typeof options?.integrations !== 'function') throw new Error('no integrations are chosen');
  options.integrations([]);
  expect(vi.mocked(replayIntegration)).toHaveBeenLastCalledWith(
    expect.objectContaining({
      maskAllText: true,
      maskAllInputs: true,
      blockAllMedia: true,
      useCompression: false,
    }),
  );
});
