import type { Logger } from 'pino';

/** The Sentry DSN for error reports, if the build has one. */
export const reportAddress: string | undefined = import.meta.env.VITE_SENTRY_DSN;

/** Reports errors of the main process to the developers. Does nothing in a build without `reportAddress`. */
export interface ErrorReports {
  report(error: unknown): void;
  /** The app has started: reports how long that took since its process was created. */
  started(): void;
  /** Resolves when pending reports are sent, or the time for it is over. */
  flush(): Promise<void>;
}

const off: ErrorReports = { report: () => undefined, started: () => undefined, flush: async () => undefined };

export function startErrorReports(version: string, log: Logger): ErrorReports {
  if (reportAddress === undefined) return off;
  const dsn = reportAddress;
  // Not awaited: the window comes first.
  const loading = load();
  async function load(): Promise<ErrorReports> {
    try {
      const { startSentry } = await import('./sentry.ts');
      return startSentry(dsn, version);
    } catch (error) {
      log.warn({ err: error }, 'errors cannot be reported');
      return off;
    }
  }
  const loaded = async (act: (reports: ErrorReports) => void) => act(await loading);
  return {
    report: (error) => void loaded((reports) => reports.report(error)),
    started: () => void loaded((reports) => reports.started()),
    flush: async () => (await loading).flush(),
  };
}
