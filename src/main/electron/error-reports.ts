import type { Logger } from 'pino';

/** Address that errors are reported to (a Sentry DSN), if the build has one. */
export const reportAddress: string | undefined = import.meta.env.VITE_SENTRY_DSN;

/** What goes wrong in the main process, for those who can mend it. Off in a build without `reportAddress`. */
export interface ErrorReports {
  report(error: unknown): void;
  /** The app is up: how long that took, since its process was made. */
  started(): void;
  /** Resolves when what was reported is on its way, or did not get away in time. */
  flush(): Promise<void>;
}

const off: ErrorReports = { report: () => undefined, started: () => undefined, flush: async () => undefined };

export function startErrorReports(version: string, log: Logger): ErrorReports {
  if (reportAddress === undefined) return off;
  const dsn = reportAddress;
  // Not waited for: the window comes first.
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
