import { createApiClient } from '../../../src/shared/api/client.ts';
import { must } from '../support/service/api-user.ts';
import type { TestService } from '../support/service/service.ts';
import type { WebviewApp } from './webview-app.ts';

/** Three mini-apps of whoever is signed in in that app, one of each type. */
export async function createMiniApps(
  service: TestService,
  app: WebviewApp,
  links: Record<string, string>,
): Promise<void> {
  const client = createApiClient({
    baseUrl: service.consoleUrl,
    fetch: (url, request) => fetch(url, request),
    deviceName: 'Test',
    session: () => ({ deviceId: app.storage.get('deviceId') ?? '', token: app.storage.get('token') }),
    endSession: async () => undefined,
  });
  for (const type of ['browser', 'webkit', 'native'] as const) {
    const body = {
      name: `The ${type} app`,
      type,
      link: links[type] ?? '',
      icon: '',
      priority: 5,
      requireLabels: [],
    };
    must(await client.call('createApp', { body }));
  }
}
