import { whenIdle } from '../platform/when-idle.ts';

/** Reports an error that was caught. */
export type ReportError = (error: unknown) => void;

/**
 * Starts to report errors if the build has an address for reports (a Sentry DSN). The library is loaded when the page
 * is idle; errors before that are reported then.
 */
export function startErrorReports(): ReportError {
  const dsn = import.meta.env.VITE_SENTRY_DSN;
  return dsn ? reportTo(dsn) : () => undefined;
}

function reportTo(dsn: string): ReportError {
  const loading = new Promise<void>(whenIdle).then(load);
  async function load(): Promise<ReportError | undefined> {
    try {
      const { startSentry } = await import('./sentry.ts');
      stop();
      return startSentry(dsn, import.meta.env.VITE_APP_VERSION);
    } catch {
      // A page without error reports works normally.
      return undefined;
    }
  }
  const report: ReportError = (error) => void send(error);
  async function send(error: unknown): Promise<void> {
    (await loading)?.(error);
  }
  const onError = (event: ErrorEvent) => report(event.error);
  const onRejection = (event: PromiseRejectionEvent) => report(event.reason);
  addEventListener('error', onError);
  addEventListener('unhandledrejection', onRejection);
  // From now on, the library listens itself.
  function stop() {
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onRejection);
  }
  return report;
}
