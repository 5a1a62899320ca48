import type { Logger } from 'pino';
import type { ErrorReports } from './sentry.ts';

/** The Sentry DSN for error reports, if the build has one. */
export const reportAddress: string | undefined = import.meta.env.VITE_SENTRY_DSN;

const off: ErrorReports = { report: () => undefined, started: () => undefined, flush: async () => undefined };

/** Reports errors of the main process. Does nothing in a build without `reportAddress`. */
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
