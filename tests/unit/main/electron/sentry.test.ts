import { init } from '@sentry/electron/main';
import { expect, test, vi } from 'vitest';
import { startSentry } from '../../../../src/main/electron/sentry.ts';

const sent = vi.hoisted((): unknown[] => []);

// The real library is for Electron's main process alone.
vi.mock('@sentry/electron/main', () => ({
  captureException: vi.fn(),
  flush: vi.fn(),
  init: vi.fn(),
  IPCMode: {},
  makeElectronOfflineTransport: () => () => ({ send: (envelope: unknown) => sent.push(envelope) }),
  startInactiveSpan: vi.fn(),
}));

test('spec §9: what the main process’s error reporting is told: tracing sample rate 1, every error', () => {
  startSentry('http://publickey@127.0.0.1/1', '1.0.0');
  expect(init).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ environment: 'production', tracesSampleRate: 1 }),
  );
  // Absent, every error is reported.
  expect(vi.mocked(init).mock.calls[0]?.[0]).not.toHaveProperty('sampleRate');
});

const header = { event_id: '9000b10cbce54c2cb96d0dd804e5c772', sent_at: '2026-01-01T00:00:00.000Z' };

test('secrets are removed from what the main process reports', async () => {
  startSentry('http://publickey@127.0.0.1/1', '1.0.0');
  const transport = vi.mocked(init).mock.lastCall?.[0].transport?.({ url: '', recordDroppedEvent: vi.fn() });
  await transport?.send([header, [[{ type: 'event' }, { message: 'of a@example.com' }]]]);
  expect(sent).toEqual([[header, [[{ type: 'event' }, { message: 'of [scrubbed]' }]]]]);
});
