import type { ApiClient } from '#shared/api/client.ts';
import { isNewer } from '#shared/app-version.ts';
import { basicInfo } from '#shared/entities.ts';
import { createListeners } from '../listeners.ts';

/** Whether there is a newer release of the app than this one, as far as the service has said. */
export interface AppUpdate {
  /** The newer release; undefined if there is none. */
  version(): string | undefined;
  onChange(listener: () => void): void;
  /** Wraps a client to read its replies. */
  watch(client: ApiClient): ApiClient;
}

export function createAppUpdate(current: string): AppUpdate {
  const listeners = createListeners<void>();
  let newer: string | undefined;

  function heed(latest: string | undefined): void {
    const next = latest !== undefined && isNewer(latest, current) ? latest : undefined;
    if (next === newer) return;
    newer = next;
    listeners.emit();
  }

  return {
    version: () => newer,
    onChange: (listener) => listeners.add(listener),
    watch: (client) => ({
      async call(name, input) {
        const result = await client.call(name, input);
        if (name !== 'basicInfo' || !result.ok) return result;
        const info = basicInfo.safeParse(result.data);
        if (info.success) heed(info.data.latestVersion);
        return result;
      },
    }),
  };
}
