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
import type { ErrorReports } from './error-reports.ts';

/**
 * What the library may do by itself. Not in it, among others: memory dumps of crashes and values of local
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

/** Reports the main process's errors and its start from now on. Offline, reports are kept until they can go. */
export function startSentry(dsn: string, version: string): ErrorReports {
  const makeTransport = makeElectronOfflineTransport();
  init({
    dsn,
    release: version,
    environment: defaultEnvironment,
    sendDefaultPii: false,
    tracesSampleRate: errorReporting.tracesSampleRate,
    tracePropagationTargets: [],
    // Pages report by themselves; their bridge has no such channel.
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
