import { describedReport } from '#shared/described-report.ts';
import type { HostImplementation } from '#shared/host/contract.ts';

/** The result of saving a text to a file that the user chooses. */
export type SaveText = (suggestedName: string, text: string) => Promise<'saved' | 'cancelled' | 'failed'>;

/** Problem reports for pages. What is saved is the report that was made here and displayed, not what a page sends. */
export function createReportHost(options: {
  make(): Promise<string>;
  save: SaveText;
}): HostImplementation['problemReport'] {
  let displayed: string | undefined;
  return {
    async make() {
      displayed = await options.make();
      return displayed;
    },
    async save({ description }) {
      if (displayed === undefined) return 'failed';
      const day = new Date().toISOString().slice(0, 10);
      return await options.save(`waymaker-report-${day}.txt`, describedReport(displayed, description));
    },
  };
}
