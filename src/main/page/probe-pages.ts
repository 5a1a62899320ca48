import type { ApiClient } from '#shared/api/client.ts';
import { basicInfo } from '#shared/entities.ts';
import type { Settings } from '../preferences/settings.ts';

/** The pages of the connectivity probe, as named by the service. The app's hidden frames load nothing else. */
export interface ProbePages {
  /** The last known pages, even before the service has answered in this run. */
  named(): readonly string[];
  /** Wraps a client to read its replies. */
  watch(client: ApiClient): ApiClient;
}

export function createProbePages(settings: Settings): ProbePages {
  return {
    named: () => settings.get('probePages'),
    watch: (client) => ({
      async call(name, input) {
        const result = await client.call(name, input);
        if (name !== 'basicInfo' || !result.ok) return result;
        const info = basicInfo.safeParse(result.data);
        const pages = info.success ? (info.data.probePages ?? []) : [];
        if (pages.join(' ') !== settings.get('probePages').join(' ')) settings.set('probePages', pages);
        return result;
      },
    }),
  };
}
