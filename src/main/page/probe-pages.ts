import type { ApiClient } from '#shared/api/client.ts';
import { basicInfo } from '#shared/entities.ts';
import type { Settings } from '../preferences/settings.ts';

/** The pages of the connectivity probe, as the service names them: nothing else gets into the app's hidden frames. */
export interface ProbePages {
  /** Those that were named last, also before the service has answered in this run. */
  named(): readonly string[];
  /** The same client, whose replies are heeded. */
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
