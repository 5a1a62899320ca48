import { init } from '@sentry/electron/main';
import { expect, test, vi } from 'vitest';
import { startSentry } from '../../../src/main/electron/sentry.ts';

// The real library is for Electron's main process alone.
vi.mock('@sentry/electron/main', () => ({
  captureException: vi.fn(),
  flush: vi.fn(),
  init: vi.fn(),
  IPCMode: {},
  makeElectronOfflineTransport: vi.fn(),
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
