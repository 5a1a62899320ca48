import {
  captureException,
  flush,
  init,
  IPCMode,
  makeElectronOfflineTransport,
  startInactiveSpan,
} from '@sentry/electron/main';
import { defaultEnvironment, errorReporting } from '#shared/constants.ts';
import { scrubEnvelope } from '#shared/report-scrubbing.ts';

/** Reports errors of the main process to the developers. */
export interface ErrorReports {
  report(error: unknown): void;
  /** The app has started: reports how long that took since its process was created. */
  started(): void;
  /** Resolves when pending reports are sent, or the time for it is over. */
  flush(): Promise<void>;
}

/**
 * The allowed integrations of the library. Left out are, among others: memory dumps of crashes and values of local
 * variables, which cannot be scrubbed; a preload script in every page; headers in requests to the service.
 */
const integrations = new Set([
  'ElectronContext',
  'EventFilters',
  'LinkedErrors',
  'NodeContext',
  'NormalizePaths',
  'OnUncaughtException',
  'OnUnhandledRejection',
]);

const flushLimitMilliseconds = 2000;

/**
 * Reports errors of the main process and its start from now on. While offline, reports are stored until they can be
 * sent.
 */
export function startSentry(dsn: string, version: string): ErrorReports {
  const makeTransport = makeElectronOfflineTransport();
  init({
    dsn,
    release: version,
    environment: defaultEnvironment,
    sendDefaultPii: false,
    tracesSampleRate: errorReporting.tracesSampleRate,
    tracePropagationTargets: [],
    // Pages send their own reports; their bridge has no channel for that.
    ipcMode: IPCMode.Classic,
    integrations: (defaults) => defaults.filter(({ name }) => integrations.has(name)),
    transport: (options) => {
      const transport = makeTransport(options);
      type Envelope = Parameters<typeof transport.send>[0];
      return {
        ...transport,
        send: (envelope: Envelope) => transport.send(scrubEnvelope(envelope) as Envelope),
      };
    },
  });
  return {
    report: captureException,
    started: () =>
      startInactiveSpan({
        name: 'start',
        op: 'app.start',
        startTime: performance.timeOrigin / 1000,
        forceTransaction: true,
      }).end(),
    flush: async () => void (await flush(flushLimitMilliseconds)),
  };
}
