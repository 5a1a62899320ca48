import type { HostImplementation } from '#shared/host/contract.ts';

/** What became of a text that the user was to choose a file for. */
export type SaveText = (suggestedName: string, text: string) => Promise<'saved' | 'cancelled' | 'failed'>;

/** Problem reports, as pages ask for them: what is saved is what was displayed, and nothing that a page says it was. */
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
      const own = description.trim();
      const text = own === '' ? displayed : `== What happened ==\n${own}\n\n${displayed}`;
      const day = new Date().toISOString().slice(0, 10);
      return await options.save(`waymaker-report-${day}.txt`, text);
    },
  };
}
